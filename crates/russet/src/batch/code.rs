/// How a batch writes a feature.
///
/// ```
/// use russet::batch::Code;
/// assert_eq!(Code::Number(7).pack(), Code::NUMBERED + 7);
/// assert_eq!(Code::unpack(Code::NUMBERED + 7), Code::Number(7));
/// assert_eq!(Code::unpack(7), Code::Declared(7));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// By its number in the batch's dictionary.
    Declared(u32),
    /// By the number that is its name, in the anonymous namespace; it is below [`Code::NUMBERS`].
    Number(u32),
}

impl Code {
    /// What is added to a number to make it a code.
    pub const NUMBERED: u32 = 1 << 31;
    /// Larger numbers are declared in the dictionary, as other names are: whoever follows codes keeps an array of this
    /// length at most.
    pub const NUMBERS: u32 = 1 << 21;

    /// The code as it stands in a batch.
    #[inline(always)]
    pub fn pack(self) -> u32 {
        match self {
            Code::Declared(index) => index,
            Code::Number(number) => Code::NUMBERED | number,
        }
    }

    /// What a code says.
    #[inline(always)]
    pub fn unpack(code: u32) -> Code {
        match code.checked_sub(Code::NUMBERED) {
            Some(number) => Code::Number(number),
            None => Code::Declared(code),
        }
    }
}
