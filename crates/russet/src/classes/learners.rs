use std::ops::Range;

use super::{Choices, ClassesError, Models, combined, largest, listed};
use crate::batch::Batch;
use crate::learner::OneClass;
use crate::loss::LossKind;
use crate::metrics::Tally;
use crate::model::Model;
use crate::settings::Checked;
use crate::{LearnError, Learner};

/// One learner, or one for each of more than two classes.
///
/// ```
/// use russet::{batch::{Batch, Dictionary, Label}, classes::Learners, feature::Namespace, settings::Settings, Model};
///
/// let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
/// batch.start(&mut dictionary);
/// let sky = ["sun", "rain", "snow"];
/// for round in 0..90 {
///     batch.push_named(&mut dictionary, Namespace::ANONYMOUS, sky[round % 3], 1.0);
///     batch.end_example(Label::new((round % 3) as f32), b"", round as u64 + 1);
/// }
/// let mut learners = Learners::resume(Model::new(Settings::default().check().unwrap()).into());
/// learners.separate(&["warm".to_owned(), "wet".to_owned(), "cold".to_owned()]).unwrap();
/// learners.learn_range(&batch, 0..batch.len()).unwrap();
/// let models = learners.into_models();
/// assert!(models.progressive_error().unwrap() < 0.1);
/// let mut predictor = models.predictor();
/// predictor.begin(&batch);
/// assert_eq!(models.names()[predictor.predict(&batch, &batch.example(1)).class], "wet");
/// ```
pub struct Learners {
    names: Vec<String>,
    learners: Vec<Learner>,
    choices: Choices,
}

impl Learners {
    /// Learners that go on where models stopped.
    pub fn resume(models: Models) -> Learners {
        let Models { names, models, choices } = models;
        let mut learners: Vec<Learner> = models.into_iter().map(Learner::resume).collect();
        let count = names.len();
        if count > 0 {
            learners
                .iter_mut()
                .enumerate()
                .for_each(|(number, learner)| learner.tell_apart(OneClass { number, count }));
        }
        Learners { names, learners, choices }
    }

    /// Says, before the first example, that labels are the numbers of these classes. Two or fewer need no learner each,
    /// and their labels are -1 and 1. Said again, the classes have to be the same.
    pub fn separate(&mut self, names: &[String]) -> Result<(), ClassesError> {
        if self.names == names || names.len() <= 2 && self.names.is_empty() {
            return Ok(());
        }
        if !self.names.is_empty() {
            return Err(ClassesError::Others { wanted: listed(names), found: listed(&self.names) });
        }
        if self.examples() > 0 {
            return Err(ClassesError::TooLate { wanted: listed(names) });
        }
        if self.settings().loss == LossKind::Quantile {
            return Err(ClassesError::Loss { loss: self.settings().loss.name() });
        }
        let count = names.len();
        let first = &self.learners[0];
        self.learners = (0..count).map(|number| first.for_class(OneClass { number, count })).collect();
        // What is attached is attached once.
        let texts: Vec<String> = self.settings_model().attachments().keys().cloned().collect();
        for learner in &mut self.learners[1..] {
            texts.iter().for_each(|name| learner.attach(name, None));
        }
        self.names = names.to_vec();
        Ok(())
    }

    fn settings_model(&self) -> &Model {
        self.learners[0].model()
    }

    /// The learner, if there is one for all classes.
    pub fn only_mut(&mut self) -> Option<&mut Learner> {
        if self.names.is_empty() { self.learners.first_mut() } else { None }
    }

    /// The settings of all.
    pub fn settings(&self) -> &Checked {
        self.settings_model().settings()
    }

    /// The names of the classes, if there are more than two.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many examples have been learned from.
    pub fn examples(&self) -> u64 {
        self.settings_model().progress().tally.examples
    }

    /// What they have done: see [`Models::tally`].
    pub fn tally(&self) -> Tally {
        combined(self.learners.iter().map(Learner::model))
    }

    /// The progressive error: share of mistakes, or mean squared error.
    pub fn progressive_error(&self) -> Option<f64> {
        if self.names.is_empty() { self.settings_model().progressive_error() } else { self.choices.error() }
    }

    /// See [`Learner::set_course_length`].
    pub fn set_course_length(&mut self, examples: u64) {
        self.learners.iter_mut().for_each(|learner| learner.set_course_length(examples));
    }

    /// See [`Learner::expect_course_length`].
    pub fn expect_course_length(&mut self) {
        self.learners.iter_mut().for_each(Learner::expect_course_length);
    }

    /// See [`Learner::set_pass`].
    pub fn set_pass(&mut self, pass: u32, passes: u32) {
        self.learners.iter_mut().for_each(|learner| learner.set_pass(pass, passes));
    }

    /// Sets or, with `None`, removes a text to be saved with the models.
    pub fn attach(&mut self, name: &str, text: Option<String>) {
        self.learners[0].attach(name, text);
    }

    /// See [`Learner::skip`].
    pub fn skip(&mut self, batch: &Batch) {
        self.learners.iter_mut().for_each(|learner| learner.skip(batch));
    }

    /// Learns from some examples of a batch. After an error, all before [`LearnError::place`] have been learned.
    pub fn learn_range(&mut self, batch: &Batch, range: Range<usize>) -> Result<(), LearnError> {
        // All refuse the same examples, so the first tells for all.
        let learned = self.learners[0].learn_range(batch, range.clone());
        let range = range.start..learned.as_ref().err().map_or(range.end, |error| error.place);
        for learner in &mut self.learners[1..] {
            learner.learn_range(batch, range.clone())?;
        }
        if !self.names.is_empty() {
            self.count_choices(batch, range);
        }
        learned
    }

    fn count_choices(&mut self, batch: &Batch, range: Range<usize>) {
        for (position, place) in range.enumerate() {
            let label = batch.example(place).label;
            let chosen = largest(self.learners.iter().map(|learner| learner.heard()[position]));
            let importance = f64::from(label.importance);
            self.choices.importance += importance;
            self.choices.mistakes += if label.value == Some(chosen as f32) { 0.0 } else { importance };
        }
    }

    /// The models as they stand, copied.
    pub fn models(&self) -> Models {
        let models = self.learners.iter().map(|learner| learner.model().clone()).collect();
        Models { names: self.names.clone(), models, choices: self.choices }
    }

    /// Ends learning.
    pub fn into_models(self) -> Models {
        let models = self.learners.into_iter().map(Learner::into_model).collect();
        Models { names: self.names, models, choices: self.choices }
    }
}
