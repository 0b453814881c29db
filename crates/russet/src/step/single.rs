use super::{GlobalScale, Shrinkage, Surprise};
use crate::loss::Loss;
use crate::settings::{Settings, StepKind};
use crate::weights::{Cpu, Features, Hand, Loops, WeightTable, bounded};

/// A step of [`Adaptive`](super::Adaptive) where there are base weights alone, and no pull of L1 or L2: the same bits, with
/// little in between.
pub(crate) struct Single<'a> {
    pub(crate) table: &'a mut WeightTable,
    pub(crate) scale: &'a mut GlobalScale,
    /// The learning rate.
    pub(crate) rate: f32,
    pub(crate) hand: &'a mut Hand,
}

impl Single<'_> {
    /// True if these are the steps that there are.
    #[inline]
    pub(crate) fn suits(settings: &Settings, shrinkage: &Shrinkage, cpu: Cpu) -> bool {
        let is_pulled = settings.l1 != 0.0 || settings.l2 != 0.0 || *shrinkage != Shrinkage::default();
        settings.step == StepKind::Adaptive && !is_pulled && cpu != Cpu::Plain
    }

    /// `w . x` at the beginning of a step. `KEEPS`, here and in [`Single::step`]: weights [stay](Hand::begin) in hand.
    #[inline(always)]
    pub(crate) fn open<L: Loops, const KEEPS: bool>(&mut self, loops: L, features: Features<'_>) -> f32 {
        self.table.open_single::<L, KEEPS>(loops, features, self.hand)
    }

    /// Learns from the example that was opened last; `slope` is that of the loss.
    #[inline(always)]
    pub(crate) fn step<L: Loops, const KEEPS: bool>(
        &mut self,
        loops: L,
        loss: impl Loss,
        surprise: Surprise,
        slope: f32,
    ) {
        let Surprise { prediction, label, importance } = surprise;
        let squared_slope = (importance * slope * slope).min(f32::MAX);
        if squared_slope == 0.0 {
            return;
        }
        let measured = self.hand.measure(loops, squared_slope);
        let scale = self.scale.add(importance, measured.norm);
        let size = loss.step(prediction, label, self.rate * importance, scale * measured.sensitivity);
        let step = scale * size;
        let step = if step.is_nan() { 0.0 } else { bounded(step) };
        self.table.close_single::<L, KEEPS>(loops, step, self.hand);
    }
}
