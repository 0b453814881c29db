//! How weights move after an example.
//!
//! [`Adaptive`] is the default, three refinements of a gradient step together. Symbols: `x_i` the value of
//! feature i, `p` the prediction, `y` the label, `h` the example's importance, `eta` the learning rate.
//! - *adaptive*: `G_i` is the sum of `h slope(p)^2 x_i^2`; feature i moves at the rate `1 / sqrt(G_i)`;
//! - *normalised*: `N_i` is the largest `|x_i|`; the rate carries `1 / N_i`, and the whole step the factor
//!   `c = sqrt(T / S)`, with `T` the importance seen so far and `S` the sum of `h sum_i x_i^2 / N_i^2`;
//! - *importance-aware*: with `u = c sum_i x_i^2 / (N_i sqrt(G_i))`, the size of the step is
//!   [`Loss::step`]`(p, y, eta h, u)`.
//!
//! [`Sgd`] is the plain gradient step on the L2-regularised objective at the rate `1 / (lambda (t + 1))`.

mod adaptive;
mod sgd;
mod shrinkage;
mod single;

pub use adaptive::{Adaptive, GlobalScale};
pub use sgd::Sgd;
pub use shrinkage::Shrinkage;
pub(crate) use single::Single;

use crate::loss::Loss;
use crate::settings::Settings;
use crate::weights::{BaseFeatures, Cpu, Hand, Loops, Row, Scratch, Span, WeightTable};

/// The active features of one example: a row of base weights and rows of products.
#[derive(Clone, Copy)]
pub(crate) struct Active<'a> {
    pub(crate) base: &'a BaseFeatures,
    pub(crate) linear: Row,
    pub(crate) products: &'a [Row],
    /// See [`crate::weights::Rows::straight`].
    pub(crate) straight: Option<Span>,
}

/// What the loops over an example's weights pass on to each other, reused from example to example.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratches {
    pub(crate) linear: Scratch,
    pub(crate) products: Scratch,
    /// What [`Single`] takes in hand.
    pub(crate) hand: Hand,
}

impl Scratches {
    /// For loops that run on this processor.
    pub(crate) fn on(cpu: Cpu) -> Scratches {
        Scratches { linear: Scratch::on(cpu), products: Scratch::on(cpu), hand: Hand::default() }
    }
}

/// What an example's prediction and label say.
#[derive(Clone, Copy)]
pub(crate) struct Surprise {
    pub(crate) prediction: f32,
    pub(crate) label: f32,
    pub(crate) importance: f32,
}

/// The weights that are moved, and the state of what moves them.
pub(crate) struct Moved<'a> {
    pub(crate) linear: &'a mut WeightTable,
    pub(crate) products: &'a mut WeightTable,
    pub(crate) scale: &'a mut GlobalScale,
    pub(crate) shrinkage: &'a mut Shrinkage,
    /// `t` of the plain gradient step's schedule.
    pub(crate) rounds: &'a mut u64,
    pub(crate) settings: &'a Settings,
    /// The learning rate now, for an adaptive step.
    pub(crate) rate: f32,
}

/// Moves weights after an example.
pub(crate) trait Step: Copy {
    /// True if an example changes nothing where the loss has no slope; then its weights need not be made ready.
    const NEEDS_SLOPE: bool;

    fn step<L: Loops>(
        self,
        loops: L,
        moved: Moved<'_>,
        active: Active<'_>,
        loss: impl Loss,
        surprise: Surprise,
        scratches: &mut Scratches,
    );
}
