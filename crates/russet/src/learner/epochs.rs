//! When the feature set grows, and which pass over the data it is.

use super::Learner;
use crate::guard::Pass;
use crate::schedule::Schedule;
use crate::settings::GuardKind;

impl Learner {
    /// For an adaptive expansion: says how many examples the whole course has, over which epochs are spaced. Without
    /// it, epochs grow. It can be said before the first example only, or after
    /// [`expect_course_length`](Learner::expect_course_length) as long as the first epoch lasts.
    pub fn set_course_length(&mut self, examples: u64) {
        let (seen, expected) = (self.model.progress.tally.examples, std::mem::take(&mut self.expects_length));
        let Some(growth) = &mut self.model.growth else { return };
        let schedule = Schedule::new(self.model.settings.epochs, Some(examples));
        if seen == 0 || expected && schedule.next_growth(0).is_none_or(|next| seen < next) {
            growth.schedule = schedule;
        }
        self.next_growth = growth.next();
    }

    /// Says, before the first example, that the course's length will be told while the first epoch lasts: until then
    /// nothing grows. A model that is saved before that goes on as one whose length is not known.
    pub fn expect_course_length(&mut self) {
        if self.model.progress.tally.examples == 0 {
            (self.next_growth, self.expects_length) = (u64::MAX, true);
        }
    }

    /// Says that what follows is pass `pass`, from 0, of `passes` over the same data. A guarded expansion has to know
    /// which examples it sees again: see [`GuardKind`].
    pub fn set_pass(&mut self, pass: u32, passes: u32) {
        let guarded = self.model.growth.is_some() && self.model.settings.guard != GuardKind::Off;
        self.pass = match passes {
            _ if !guarded => Pass::Only,
            0 | 1 => Pass::Only,
            _ if pass + 1 < passes => Pass::Earlier,
            _ => Pass::Last,
        };
    }

    /// Says, before the first example, that the feature set grows over the first `examples` only, whatever the length of
    /// the course.
    pub(crate) fn grow_within(&mut self, examples: u64) {
        self.growing = Some(Schedule::new(self.model.settings.epochs, Some(examples)));
        self.next_growth = self.following_growth();
    }

    /// Says that the feature set stays as it is from now on; `course`: how many examples the learner's course has, if it is under way.
    pub(crate) fn keep_grown(&mut self, course: Option<u64>) {
        // One epoch never grows.
        self.growing = Some(Schedule::new(1, None));
        if let Some(growth) = &mut self.model.growth {
            growth.schedule = Schedule::new(self.model.settings.epochs, course);
        }
        self.next_growth = self.following_growth();
    }

    #[cold]
    pub(super) fn grow(&mut self) {
        self.model.grow();
        match &mut self.notes {
            Some(notes) => notes.add_growth(),
            None => self.model.renew_guard(),
        }
        self.next_growth = self.following_growth();
    }

    /// After how many examples the feature set grows next.
    pub(super) fn following_growth(&self) -> u64 {
        let Some(growth) = &self.model.growth else { return u64::MAX };
        self.growing.map_or_else(|| growth.next(), |schedule| schedule.next_growth(growth.grown).unwrap_or(u64::MAX))
    }
}
