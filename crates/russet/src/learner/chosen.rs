//! The one place where step and loss are chosen: everything below is compiled for each combination.

use crate::loss::{Hinge, Logistic, Loss, LossKind, Quantile, Squared};
use crate::settings::{Settings, StepKind};
use crate::step::{Adaptive, Sgd, Step};
use crate::weights::{Cpu, Loops, Work};

/// Something to be done with one step and one loss.
pub(super) trait Task {
    type Output;

    /// Does it. Has to be inlined: see [`Work`].
    fn run<L: Loops>(self, loops: L, step: impl Step, loss: impl Loss) -> Self::Output;
}

/// What a task is done with.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    step: StepKind,
    loss: LossKind,
    tau: f32,
    cpu: Cpu,
}

impl Choice {
    pub(super) fn of(settings: &Settings, cpu: Cpu) -> Choice {
        Choice { step: settings.step, loss: settings.loss, tau: settings.quantile, cpu }
    }
}

/// Does a task.
pub(super) fn run<T: Task>(choice: Choice, task: T) -> T::Output {
    let Choice { step, loss, tau, cpu } = choice;
    let quantile = Quantile { tau };
    match (step, loss) {
        (StepKind::Adaptive, LossKind::Squared) => cpu.run(Chosen { task, step: Adaptive, loss: Squared }),
        (StepKind::Adaptive, LossKind::Logistic) => cpu.run(Chosen { task, step: Adaptive, loss: Logistic }),
        (StepKind::Adaptive, LossKind::Hinge) => cpu.run(Chosen { task, step: Adaptive, loss: Hinge }),
        (StepKind::Adaptive, LossKind::Quantile) => cpu.run(Chosen { task, step: Adaptive, loss: quantile }),
        (StepKind::Sgd, LossKind::Squared) => cpu.run(Chosen { task, step: Sgd, loss: Squared }),
        (StepKind::Sgd, LossKind::Logistic) => cpu.run(Chosen { task, step: Sgd, loss: Logistic }),
        (StepKind::Sgd, LossKind::Hinge) => cpu.run(Chosen { task, step: Sgd, loss: Hinge }),
        (StepKind::Sgd, LossKind::Quantile) => cpu.run(Chosen { task, step: Sgd, loss: quantile }),
    }
}

/// A task of its own for each combination: in one function together they take the compiler several times as long.
struct Chosen<T, S, F> {
    task: T,
    step: S,
    loss: F,
}

impl<T: Task, S: Step, F: Loss> Work for Chosen<T, S, F> {
    type Output = T::Output;

    #[inline(always)]
    fn run<L: Loops>(self, loops: L) -> T::Output {
        self.task.run(loops, self.step, self.loss)
    }
}
