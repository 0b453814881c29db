//! What figures and tables compare: a program's method, at one alpha or at the best.

use crate::study::{Method, Program, Run, SetResults};

/// One curve, bar colour or column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Series {
    /// Its name in the page's attributes, such as `apple-0.5`.
    pub(super) key: &'static str,
    /// Its name for people.
    pub(super) label: &'static str,
    /// What ran.
    pub(super) program: Program,
    /// How it learned.
    pub(super) method: Method,
    /// Which of the method's runs.
    pub(super) pick: Pick,
}

/// Which of a method's runs on a data set a series shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pick {
    /// The only one; of several, that with the largest alpha.
    Last,
    /// The one with this alpha.
    Alpha(f64),
    /// The one with the lowest test error, in hindsight, as the paper's `apple-best`; of equals the fastest.
    Best,
}

impl Series {
    const fn russet(key: &'static str, label: &'static str, method: Method, pick: Pick) -> Series {
        Series { key, label, program: Program::Russet, method, pick }
    }

    const fn peer(key: &'static str, label: &'static str, program: Program, method: Method) -> Series {
        Series { key, label, program, method, pick: Pick::Last }
    }

    /// Its run on a data set, if it has one.
    pub(super) fn run<'a>(&self, set: &'a SetResults) -> Option<&'a Run> {
        let runs = set.runs.iter().filter(|run| run.program == self.program && run.method == self.method);
        match self.pick {
            Pick::Last => runs.max_by(|a, b| a.alpha.unwrap_or(0.0).total_cmp(&b.alpha.unwrap_or(0.0))),
            Pick::Alpha(alpha) => runs.into_iter().find(|run| run.alpha == Some(alpha)),
            Pick::Best => runs
                .min_by(|a, b| a.test_error.total_cmp(&b.test_error).then(a.train_seconds.total_cmp(&b.train_seconds))),
        }
    }

    /// Its name as a CSS class.
    pub(super) fn class(&self) -> String {
        format!("series-{}", self.key.replace('.', "-"))
    }

    /// Whether it repeats the figures of other series.
    pub(super) fn is_derived(&self) -> bool {
        self.pick == Pick::Best
    }
}

/// russet, linear.
pub(super) const LIN: Series = Series::russet("lin", "lin", Method::Lin, Pick::Last);
/// russet, all pairs.
pub(super) const QUAD: Series = Series::russet("quad", "quad", Method::Quad, Pick::Last);
/// russet, all products of up to three.
pub(super) const CUBIC: Series = Series::russet("cubic", "cubic", Method::Cubic, Pick::Last);
/// apple as it is by default, which the headline is about.
pub(super) const APPLE: Series = Series::russet("apple-1", "apple α=1", Method::Apple, Pick::Alpha(1.0));
/// apple at the other alphas, ascending.
pub(super) const APPLE_BELOW: [Series; 4] = [
    Series::russet("apple-0.125", "apple α=0.125", Method::Apple, Pick::Alpha(0.125)),
    Series::russet("apple-0.25", "apple α=0.25", Method::Apple, Pick::Alpha(0.25)),
    Series::russet("apple-0.5", "apple α=0.5", Method::Apple, Pick::Alpha(0.5)),
    Series::russet("apple-0.75", "apple α=0.75", Method::Apple, Pick::Alpha(0.75)),
];
/// apple at the best alpha for each set.
pub(super) const APPLE_BEST: Series = Series::russet("apple-best", "apple-best", Method::Apple, Pick::Best);
/// ssm at the alpha of the headline.
const SSM: Series = Series::russet("ssm-1", "ssm α=1", Method::Ssm, Pick::Alpha(1.0));
/// ssm at the best alpha for each set.
const SSM_BEST: Series = Series::russet("ssm-best", "ssm-best", Method::Ssm, Pick::Best);
/// Vowpal Wabbit's apple.
pub(super) const VW_APPLE: Series = Series::peer("vw-apple", "VW apple", Program::Vw, Method::Apple);

/// What bars show, as in the paper: the baselines, and apple at every alpha.
pub(super) const BARS: [Series; 8] =
    [LIN, QUAD, CUBIC, APPLE_BELOW[0], APPLE_BELOW[1], APPLE_BELOW[2], APPLE_BELOW[3], APPLE];

/// What the figure of error against time shows: the bars' series and ssm.
pub(super) const TRADEOFF: [Series; 9] =
    [LIN, QUAD, CUBIC, APPLE_BELOW[0], APPLE_BELOW[1], APPLE_BELOW[2], APPLE_BELOW[3], APPLE, SSM];

/// What distributions show, as in the paper.
pub(super) const CURVES: [Series; 7] = [APPLE, APPLE_BEST, SSM, SSM_BEST, LIN, QUAD, CUBIC];

/// The tables' columns, left to right.
pub(super) const COLUMNS: [Series; 20] = [
    LIN,
    QUAD,
    CUBIC,
    APPLE_BELOW[0],
    APPLE_BELOW[1],
    APPLE_BELOW[2],
    APPLE_BELOW[3],
    APPLE,
    APPLE_BEST,
    SSM,
    SSM_BEST,
    Series::russet("fallback", "fallback", Method::Fallback, Pick::Last),
    Series::russet("picky-weight", "picky weight", Method::PickyWeight, Pick::Last),
    Series::russet("picky-ssm", "picky ssm", Method::PickySsm, Pick::Last),
    Series::peer("vw-lin", "VW lin", Program::Vw, Method::Lin),
    Series::peer("vw-quad", "VW quad", Program::Vw, Method::Quad),
    Series::peer("vw-cubic", "VW cubic", Program::Vw, Method::Cubic),
    VW_APPLE,
    Series::peer("lightgbm", "LightGBM", Program::Lightgbm, Method::Default),
    Series::peer("sklearn", "scikit-learn SGD", Program::Sklearn, Method::Default),
];

/// What a person calls a method of a program, such as `VW apple α=0.5`.
pub(super) fn describe(program: Program, method: Method, alpha: Option<f64>) -> String {
    let known = COLUMNS.iter().find(|series| series.program == program && series.method == method);
    let name = known.map_or_else(|| format!("{program:?} {method:?}").to_lowercase(), |series| series.label.to_owned());
    let name = name.split(" α=").next().unwrap_or_default();
    alpha.map_or_else(|| name.to_owned(), |alpha| format!("{name} α={alpha}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{run, set};

    #[test]
    fn the_best_of_equals_is_the_fastest() {
        let runs = [(0.25, 0.2, 3.0), (0.5, 0.1, 2.0), (1.0, 0.1, 1.0)];
        let runs = runs.map(|(alpha, error, seconds)| run(Method::Apple, Some(alpha), error, seconds));
        let set = set("a", runs.to_vec());
        assert_eq!(APPLE_BEST.run(&set).unwrap().alpha, Some(1.0));
        assert_eq!(APPLE_BELOW[1].run(&set).unwrap().test_error, 0.2);
        assert!(LIN.run(&set).is_none());
    }

    #[test]
    fn methods_have_names() {
        assert_eq!(describe(Program::Russet, Method::Ssm, Some(0.5)), "ssm α=0.5");
        assert_eq!(describe(Program::Vw, Method::Apple, Some(1.0)), "VW apple α=1");
        assert_eq!(describe(Program::Russet, Method::Cubic, None), "cubic");
        assert_eq!(describe(Program::Vw, Method::Ssm, None), "vw ssm");
    }
}
