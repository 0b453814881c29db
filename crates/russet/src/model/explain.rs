use serde::Serialize;

use super::reading::Table;
use super::{Model, Predicted, Predictor};
use crate::batch::{Batch, Example};
use crate::expansion;
use crate::loss::LossKind;
use crate::weights::{BaseFeatures, Row};

/// What made a prediction.
///
/// Weights times values are given in double precision, while the prediction was summed in single precision and clipped.
/// What that changed is a part of its own, so the contributions, added in their order, are exactly the prediction.
#[derive(Clone, Debug)]
pub struct Explanation<'m> {
    /// The prediction.
    pub predicted: Predicted<'m>,
    /// What adds up to it: terms by the size of their contribution, then what is not a term.
    pub parts: Vec<Part>,
}

/// One summand of a prediction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// A feature's name, the names of a product's features joined by ` * `, or words for what is not a term.
    pub name: String,
    /// What it adds to the prediction.
    pub contribution: f64,
    /// The value of the feature in this example, for a term.
    pub value: Option<f32>,
    /// The weight of the feature, for a term.
    pub weight: Option<f32>,
}

/// What a summand of a prediction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartKind {
    /// A feature or product that the example has.
    Term,
    /// Terms that are not listed one by one.
    Others,
    /// The base prediction that the example came with.
    Base,
    /// What was cut off because predictions stay within the range that labels have had.
    Clipped,
    /// What single precision left over.
    Rounding,
}

impl Part {
    fn extra(kind: PartKind, name: impl Into<String>, contribution: f64) -> Part {
        Part { kind, name: name.into(), contribution, value: None, weight: None }
    }
}

impl<'m> Predictor<'m> {
    /// Predicts an example of the batch that was begun last, and tells which terms made the prediction. Terms that add
    /// nothing are left out.
    ///
    /// ```
    /// # use russet::{Learner, batch::{Batch, Dictionary, Label}, feature::Namespace, settings::Settings};
    /// # let (mut dictionary, mut batch) = (Dictionary::default(), Batch::default());
    /// # batch.start(&mut dictionary);
    /// # batch.push_named(&mut dictionary, Namespace::ANONYMOUS, "sun", 1.0);
    /// # batch.end_example(Label::new(1.0), b"", 1);
    /// # let mut learner = Learner::new(Settings::default().check().unwrap());
    /// # learner.learn(&batch).unwrap();
    /// let model = learner.into_model();
    /// let mut predictor = model.predictor();
    /// predictor.begin(&batch);
    /// let explanation = predictor.explain(&batch, &batch.example(0));
    /// assert!(explanation.parts.iter().any(|part| part.name == "sun"));
    /// let sum = explanation.parts.iter().fold(0.0, |sum, part| sum + part.contribution);
    /// assert_eq!(sum, f64::from(explanation.predicted.value));
    /// ```
    pub fn explain(&mut self, batch: &Batch, example: &Example<'_>) -> Explanation<'m> {
        let predicted = self.predict(batch, example);
        let (base, settings) = (&*self.intake.base(), &self.model.settings);
        if self.model.growth.is_none() {
            // Those that the loops run over may not tell which factors they have.
            expansion::rows_by_factor(settings.expansion, base, &self.model.products, settings.seed, &mut self.rows);
        }
        let mut parts = Vec::new();
        self.model.add_parts(Table::Linear, &expansion::linear(base), &[], base, &mut parts);
        let factors = expansion::row_factors(settings.expansion, base);
        for (number, row) in self.rows.iter().enumerate() {
            let factors = match &self.model.growth {
                Some(growth) => growth.parents.get(row.parent).monomial.slots(),
                None => factors[number].as_slice(),
            };
            self.model.add_parts(Table::Products, row, factors, base, &mut parts);
        }
        let strength = |part: &Part| part.contribution.abs();
        parts.sort_by(|a, b| strength(b).total_cmp(&strength(a)).then_with(|| a.name.cmp(&b.name)));
        if example.label.base != 0.0 {
            parts.push(Part::extra(PartKind::Base, "base prediction", example.label.base.into()));
        }
        Explanation { predicted, parts }.closed()
    }
}

impl Model {
    fn range_name(&self) -> &'static str {
        match self.settings.loss {
            LossKind::Logistic => "clipped to between -50 and 50",
            _ => "clipped to the range of labels",
        }
    }

    /// Lists the terms of a row, the product of `factors` times each base feature of a range.
    fn add_parts(&self, table: Table, row: &Row, factors: &[u32], base: &BaseFeatures, parts: &mut Vec<Part>) {
        let length = self.table(table).len();
        for position in 0..row.len() {
            let value = row.value(base, position);
            let weight = self.effective_weight(table, row.place(base, position, length));
            // Exact: the product of two numbers of 24 digits has at most 48, and there are 53.
            let contribution = f64::from(weight) * f64::from(value);
            if contribution != 0.0 {
                let factors = factors.iter().copied().chain([row.slot(base, position)]);
                let mut slots: Vec<u32> = factors.filter(|slot| *slot != crate::feature::CONSTANT).collect();
                slots.sort_unstable();
                let name = self.product_name(&slots);
                parts.push(Part { kind: PartKind::Term, name, contribution, value: Some(value), weight: Some(weight) });
            }
        }
    }
}

impl Explanation<'_> {
    /// The same with at most `count` terms; what the others add is one part.
    pub fn shortened(mut self, count: usize) -> Self {
        let terms = self.parts.iter().take_while(|part| part.kind == PartKind::Term).count();
        if terms <= count {
            return self;
        }
        let others = self.parts.drain(count..terms).fold(0.0, |sum, part| sum + part.contribution);
        let name = format!("others ({} term{})", terms - count, if terms - count == 1 { "" } else { "s" });
        self.parts.insert(count, Part::extra(PartKind::Others, name, others));
        self.parts.retain(|part| !matches!(part.kind, PartKind::Clipped | PartKind::Rounding));
        self.closed()
    }

    /// What the parts listed so far add up to.
    fn sum(&self) -> f64 {
        self.parts.iter().fold(0.0, |sum, part| sum + part.contribution)
    }

    /// Adds what is missing to the prediction.
    fn closed(mut self) -> Self {
        let prediction = f64::from(self.predicted.value);
        let (low, high) = self.predicted.model.range();
        let sum = self.sum();
        let clipped =
            sum > high.into() && self.predicted.value == high || sum < low.into() && self.predicted.value == low;
        if clipped {
            self.parts.push(Part::extra(PartKind::Clipped, self.predicted.model.range_name(), prediction - sum));
        }
        // Once is enough, unless the sum is larger than the prediction by more than a number has digits.
        let mut sum = self.sum();
        while sum != prediction && sum.is_finite() {
            self.parts.push(Part::extra(PartKind::Rounding, "rounding", prediction - sum));
            sum = self.sum();
        }
        self
    }
}
