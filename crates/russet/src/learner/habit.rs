/// How often examples have moved the weights of late.
///
/// To score an example whose weights lie in tiles takes some three fifths of the time that it takes if they are made ready to move, too.
/// Predictions that are clipped to the right label move nothing, as most do where one class is rare: then it pays to look first. Both
/// give the same bits, so nothing but time hangs on this.
#[derive(Clone, Copy, Debug)]
pub(super) struct Habit {
    /// The share of the last [`MEMORY`] examples, about, that moved weights.
    moving: f32,
}

/// How many examples are remembered.
const MEMORY: f32 = 64.0;

/// Below this share it is worth to look first.
const SELDOM: f32 = 0.3;

impl Default for Habit {
    /// Weights move, as they do at first.
    fn default() -> Habit {
        Habit { moving: 1.0 }
    }
}

impl Habit {
    /// True if most examples move nothing.
    #[inline(always)]
    pub(super) fn is_still(self) -> bool {
        self.moving < SELDOM
    }

    /// Takes note of an example.
    #[inline(always)]
    pub(super) fn note(&mut self, moved: bool) {
        self.moving += (f32::from(u8::from(moved)) - self.moving) / MEMORY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_what_happens() {
        let mut habit = Habit::default();
        assert!(!habit.is_still());
        (0..100).for_each(|_| habit.note(false));
        assert!(habit.is_still());
        (0..100).for_each(|_| habit.note(true));
        assert!(!habit.is_still());
        (0..1000).for_each(|number| habit.note(number % 5 == 0));
        assert!(habit.is_still());
    }
}
