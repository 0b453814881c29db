#[cfg(target_arch = "x86_64")]
use super::loops::WideWithAvx2;
use super::loops::{Loops, Plain, Wide};

/// Which version of the loops runs. All give the same bits; they differ in speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cpu {
    /// One feature at a time, said plainly.
    #[default]
    Plain,
    /// Eight at a time, with the instructions every processor of the kind has.
    Portable,
    /// Eight at a time, with AVX2.
    Avx2,
    /// The same, and sixteen where it is faster, with AVX-512.
    Avx512,
}

impl Cpu {
    /// Every version that can run on this machine.
    pub fn available() -> Vec<Cpu> {
        let mut all = vec![Cpu::Plain, Cpu::Portable];
        if has_avx2() {
            all.push(Cpu::Avx2);
        }
        if has_avx512() {
            all.push(Cpu::Avx512);
        }
        all
    }

    /// The fastest version that can run on this machine.
    pub fn fastest() -> Cpu {
        match (has_avx512(), has_avx2()) {
            (true, _) => Cpu::Avx512,
            (false, true) => Cpu::Avx2,
            (false, false) => Cpu::Portable,
        }
    }

    /// The version called `name` (`plain`, `portable`, `avx2`, `avx512`), if it can run on this machine.
    pub fn named(name: &str) -> Option<Cpu> {
        Cpu::available().into_iter().find(|cpu| format!("{cpu:?}").eq_ignore_ascii_case(name))
    }
}

/// Something to be done with one version of the loops, chosen once for all of it.
pub(crate) trait Work {
    type Output;

    /// Does it. Has to be inlined (always), with all it calls in a hot loop, to get the processor's instructions.
    fn run<L: Loops>(self, loops: L) -> Self::Output;
}

impl Cpu {
    /// This version, or the next best that this machine can run.
    pub(crate) fn at_hand(self) -> Cpu {
        match self {
            Cpu::Avx512 if !has_avx512() => Cpu::Avx2.at_hand(),
            Cpu::Avx2 if !has_avx2() => Cpu::Portable,
            cpu => cpu,
        }
    }

    /// True if AVX-512 may be used, and is there.
    pub(crate) fn has_avx512(self) -> bool {
        self == Cpu::Avx512 && has_avx512()
    }

    /// Does `work` with this version of the loops, or with one that this machine can run.
    #[inline]
    pub(crate) fn run<W: Work>(self, work: W) -> W::Output {
        match self {
            Cpu::Plain => run_plainly(work),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: that is what was asked.
            Cpu::Avx2 | Cpu::Avx512 if has_avx2() => unsafe { run_with_avx2(work) },
            Cpu::Portable | Cpu::Avx2 | Cpu::Avx512 => run_portably(work),
        }
    }
}

/// A function of its own for each version: together they take the compiler longer.
#[inline(never)]
fn run_plainly<W: Work>(work: W) -> W::Output {
    work.run(Plain)
}

#[inline(never)]
fn run_portably<W: Work>(work: W) -> W::Output {
    work.run(Wide)
}

/// # Safety
/// [`has_avx2`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn run_with_avx2<W: Work>(work: W) -> W::Output {
    // SAFETY: the caller's promise.
    work.run(unsafe { WideWithAvx2::new() })
}

/// True for AVX2 and what every processor that has it has too: a compiler does not take that for granted.
#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt")
}

/// True for AVX-512 beside all that.
#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    has_avx2() && std::arch::is_x86_feature_detected!("avx512f")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx512() -> bool {
    false
}
