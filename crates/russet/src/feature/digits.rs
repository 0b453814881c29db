/// A number as it is written.
pub(crate) struct Digits {
    text: [u8; 20],
    start: usize,
}

impl Digits {
    pub(crate) fn of(mut number: u64) -> Digits {
        let mut digits = Digits { text: [b'0'; 20], start: 19 };
        loop {
            digits.text[digits.start] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                return digits;
            }
            digits.start -= 1;
        }
    }
}

impl AsRef<[u8]> for Digits {
    fn as_ref(&self) -> &[u8] {
        &self.text[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_as_the_standard_library_writes_them() {
        for number in [0, 7, 10, 99, 100, 2_097_151, 4_000_000_000, u64::MAX] {
            assert_eq!(Digits::of(number).as_ref(), number.to_string().as_bytes());
        }
    }
}
