use super::Learner;
use super::chosen::{self, Choice, Task};
use super::judge::{Judge, Seen};
use crate::guard::{Guard, Mixture};
use crate::loss::Loss;
use crate::metrics::Tally;
use crate::model::Model;
use crate::settings::Checked;
use crate::step::{Scratches, Step};
use crate::weights::{BaseFeatures, CACHE_LINE, Cpu, Loops, prefetch, prefetch_behind};

/// The guard of a learner, apart from it: nothing that the learner's own weights need hangs on the guard, so it can follow
/// behind, in another thread. See [`Learner::part`](crate::Learner::part).
#[derive(Debug)]
pub struct Companion {
    pub(super) guard: Guard,
    pub(super) tally: Tally,
    settings: Checked,
    pace: f32,
    cpu: Cpu,
    base: BaseFeatures,
    scratches: Scratches,
}

/// What a [`Companion`] has to be told: examples, in the order they were learned from.
#[derive(Debug, Default)]
pub struct Notes {
    slots: Vec<u32>,
    values: Vec<f32>,
    examples: Vec<Noted>,
    /// One more than the largest slot.
    slot_count: usize,
}

#[derive(Debug)]
struct Noted {
    seen: Seen,
    /// Where its base features end.
    end: usize,
    /// Set if the feature set grew after it.
    grew: bool,
}

impl Notes {
    /// True if there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.examples.is_empty()
    }

    /// Of how many examples something is told.
    pub fn len(&self) -> usize {
        self.examples.len()
    }

    /// How many base features they have together, for which memory is needed.
    pub fn features(&self) -> usize {
        self.slots.len()
    }

    /// Forgets everything, and keeps the memory.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.values.clear();
        self.examples.clear();
    }

    #[inline]
    pub(super) fn add(&mut self, seen: Seen, base: &BaseFeatures, slot_count: usize) {
        self.slots.extend_from_slice(&base.slots);
        self.values.extend_from_slice(&base.values);
        self.examples.push(Noted { seen, end: self.slots.len(), grew: false });
        self.slot_count = slot_count;
        // The companion has read these notes before: without this, whatever the learner writes meanwhile would wait until they are back.
        let likely = base.slots.len() + CACHE_LINE / size_of::<u32>();
        prefetch_behind(&self.slots, likely);
        prefetch_behind(&self.values, likely);
        prefetch_behind(&self.examples, 2);
    }

    /// Takes note that the feature set grew after the last example.
    pub(super) fn add_growth(&mut self) {
        if let Some(example) = self.examples.last_mut() {
            example.grew = true;
        }
    }
}

impl Companion {
    pub(super) fn new(guard: Guard, tally: Tally, settings: Checked, pace: f32, cpu: Cpu) -> Companion {
        let (base, scratches) = (BaseFeatures::default(), Scratches::on(cpu));
        Companion { guard, tally, settings, pace, cpu, base, scratches }
    }

    /// Does what the learner would have done with its guard for the examples of the notes.
    pub fn follow(&mut self, notes: &Notes) {
        self.guard.linear.grow_to(notes.slot_count);
        chosen::run(Choice::of(&self.settings, self.cpu), Following { companion: self, notes });
    }

    #[inline(always)]
    fn run<L: Loops>(&mut self, notes: &Notes, loops: L, step: impl Step, loss: impl Loss) {
        let mut first = 0;
        for (place, noted) in notes.examples.iter().enumerate() {
            if let Some(next) = notes.examples.get(place + 1) {
                let linear = self.guard.linear.slots();
                notes.slots[noted.end..next.end].iter().for_each(|slot| prefetch(linear, *slot as usize));
            }
            let BaseFeatures { slots, values, .. } = &mut self.base;
            slots.clear();
            values.clear();
            slots.extend_from_slice(&notes.slots[first..noted.end]);
            values.extend_from_slice(&notes.values[first..noted.end]);
            let Companion { guard, tally, settings, pace, scratches, base, cpu } = self;
            let single = guard.has_single_steps(settings, *cpu);
            let judge = Judge { guard: Some(guard), tally, settings, pace: *pace, scratches, single };
            judge.judge(loops, step, loss, &noted.seen, base);
            if noted.grew {
                self.guard.state.mixture = Mixture::default();
            }
            first = noted.end;
        }
    }
}

impl Learner {
    /// Parts with the guard, if there is one: from now on, what it has to be told is noted down, and a [`Companion`] that
    /// follows the notes, in whatever thread, does what the guard would have done. The result is the same.
    /// Until they are [together](Learner::rejoin) again, the model has no guard, and its progressive validation stands still.
    ///
    /// ```
    /// # use russet::{Learner, batch::{Batch, Dictionary, Label}, feature::Namespace, settings::Settings};
    /// # let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    /// # batch.start(&mut dictionary);
    /// # for round in 0..60 {
    /// #     batch.push_named(&mut dictionary, Namespace::ANONYMOUS, if round % 2 == 0 { "sun" } else { "rain" }, 1.0);
    /// #     batch.end_example(Label::new((round % 2) as f32), b"", round + 1);
    /// # }
    /// let mut learner = Learner::new(Settings::default().check().unwrap());
    /// learner.set_course_length(60);
    /// learner.learn_range(&batch, 0..20).unwrap();
    /// let mut companion = learner.part().expect("the feature set has grown after 10 examples");
    /// learner.learn_range(&batch, 20..60).unwrap();
    /// companion.follow(&learner.exchange_notes(Default::default()));
    /// learner.rejoin(companion);
    /// assert_eq!(learner.model().progress().tally.examples, 60);
    /// ```
    pub fn part(&mut self) -> Option<Companion> {
        let Model { guard, progress, settings, pace, cpu, .. } = &mut self.model;
        let guard = guard.take()?;
        self.notes = Some(Notes::default());
        Some(Companion::new(guard, progress.tally, settings.clone(), *pace, *cpu))
    }

    /// Takes the guard back. The companion has to have followed all notes.
    ///
    /// # Panics
    /// If there are notes left.
    pub fn rejoin(&mut self, companion: Companion) {
        let told = self.notes.take().is_some_and(|notes| notes.is_empty());
        assert!(told, "there are notes that the companion has not followed");
        let Companion { mut guard, tally, .. } = companion;
        guard.linear.grow_to(self.model.slot_count());
        self.model.guard = Some(guard);
        let Tally { examples, features, base_features, .. } = self.model.progress.tally;
        self.model.progress.tally = Tally { examples, features, base_features, ..tally };
    }

    /// What the companion has to be told by now, if the guard is apart.
    pub fn notes(&self) -> Option<&Notes> {
        self.notes.as_ref()
    }

    /// What there is to tell the companion, nothing if the guard is not apart; `fresh` is used for what comes next.
    pub fn exchange_notes(&mut self, mut fresh: Notes) -> Notes {
        fresh.clear();
        match &mut self.notes {
            Some(notes) => std::mem::replace(notes, fresh),
            None => fresh,
        }
    }
}

/// Notes to be followed.
struct Following<'a> {
    companion: &'a mut Companion,
    notes: &'a Notes,
}

impl Task for Following<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Loops>(self, loops: L, step: impl Step, loss: impl Loss) {
        self.companion.run(self.notes, loops, step, loss);
    }
}
