//! What competes in a study: programs with their ways to learn, and how each is called.

use std::fmt;

use super::{Method, Program, Settings, Task};

/// A way to learn, run by a program; its learning rate is still to be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) program: Program,
    pub(super) method: Method,
    pub(super) alpha: Option<f64>,
}

/// What a run reads, by path or, to know it again, by content.
pub(super) struct Files<'a> {
    pub(super) train: &'a str,
    /// None where a run is only measured.
    pub(super) test: Option<&'a str>,
    pub(super) task: Task,
    /// Number of examples to learn from.
    pub(super) examples: usize,
}

/// russet's flags for all growing methods but the choice of parents.
const APPLE: [&str; 2] = ["--expansion", "apple"];

/// The exponent of methods that are run with one only.
const ALPHA: f64 = 1.0;

/// All candidates that the settings ask for.
pub(super) fn all(settings: &Settings) -> Vec<Candidate> {
    use Method::{Apple, Cubic, Default, Fallback, Lin, PickySsm, PickyWeight, Quad, Ssm};
    let one = |program, method, alpha| Candidate { program, method, alpha };
    let mut all: Vec<Candidate> = [Lin, Quad, Cubic].map(|method| one(Program::Russet, method, None)).into();
    for method in [Apple, Ssm] {
        all.extend(settings.alphas.iter().map(|alpha| one(Program::Russet, method, Some(*alpha))));
    }
    all.extend([Fallback, PickyWeight, PickySsm].map(|method| one(Program::Russet, method, Some(ALPHA))));
    for program in &settings.peers {
        match program {
            Program::Vw => {
                all.extend([Lin, Quad, Cubic].map(|method| one(Program::Vw, method, None)));
                all.push(one(Program::Vw, Apple, Some(ALPHA)));
            }
            other => all.push(one(*other, Default, None)),
        }
    }
    all
}

impl Candidate {
    /// Whether it has a learning rate to choose.
    pub(super) fn has_rate(&self) -> bool {
        self.method != Method::Default
    }

    /// The arguments of a run, those that name the program's script aside.
    pub(super) fn arguments(&self, rate: Option<f64>, files: &Files<'_>, paper: bool) -> Vec<String> {
        let rate = rate.map(|rate| rate.to_string());
        match self.program {
            Program::Russet => self.russet(rate.as_deref(), files, paper),
            Program::Vw => self.vowpal_wabbit(rate.as_deref(), files),
            Program::Lightgbm => fit("lightgbm", files),
            Program::Sklearn => fit("sklearn", files),
        }
    }

    fn russet(&self, rate: Option<&str>, files: &Files<'_>, paper: bool) -> Vec<String> {
        let mut words = vec!["train", files.train, "--json", "--quiet", "--loss", "squared"];
        let alpha = self.alpha.map(|alpha| alpha.to_string());
        match self.method {
            Method::Lin | Method::Default => words.extend(["--expansion", "linear"]),
            Method::Quad => words.extend(["--expansion", "quadratic"]),
            // As for VW: so many products need room.
            Method::Cubic => words.extend(["--expansion", "cubic", "--bits", "24"]),
            Method::Apple => words.extend(APPLE),
            Method::Ssm => words.extend(APPLE.into_iter().chain(["--select", "ssm"])),
            Method::Fallback => words.extend(APPLE.into_iter().chain(["--select", "fallback"])),
            Method::PickyWeight => words.extend(APPLE.into_iter().chain(["--select", "picky-weight"])),
            Method::PickySsm => words.extend(APPLE.into_iter().chain(["--select", "picky-ssm"])),
        }
        if let Some(alpha) = &alpha {
            words.extend(["--alpha", alpha]);
            words.extend(paper.then_some(["--preset", "paper"]).into_iter().flatten());
        }
        words.extend(rate.into_iter().flat_map(|rate| ["--learning-rate", rate]));
        words.extend(files.test.into_iter().flat_map(|test| ["--test", test]));
        owned(&words)
    }

    fn vowpal_wabbit(&self, rate: Option<&str>, files: &Files<'_>) -> Vec<String> {
        // It grows at the start of an example, so one more than a sixth makes five growths and never a last one.
        let batch = (files.examples / 6 + 1).to_string();
        let mut words = script(files);
        words.push("--");
        words.extend(["-b", if self.method == Method::Cubic { "24" } else { "18" }]);
        match self.method {
            Method::Quad => words.extend(["-q", "::"]),
            Method::Cubic => words.extend(["-q", "::", "--cubic", ":::"]),
            Method::Apple => {
                words.extend(["--stage_poly", "--sched_exponent", "1", "--batch_sz", &batch, "--batch_sz_no_doubling"]);
            }
            _ => {}
        }
        words.extend(rate.into_iter().flat_map(|rate| ["-l", rate]));
        owned(&words)
    }
}

fn fit(program: &str, files: &Files<'_>) -> Vec<String> {
    let mut words = script(files);
    words.extend(["--program", program]);
    owned(&words)
}

/// What all our scripts are told.
fn script<'a>(files: &Files<'a>) -> Vec<&'a str> {
    let task = match files.task {
        Task::Classification => "classification",
        Task::Regression => "regression",
    };
    let mut words = vec!["--task", task, "--train", files.train];
    words.extend(files.test.into_iter().flat_map(|test| ["--test", test]));
    words
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Such as `apple 0.5` or `VW quad`.
impl fmt::Display for Candidate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self.method {
            Method::Default => self.program.to_string(),
            method if self.program == Program::Russet => method.to_string(),
            method => format!("{} {method}", self.program),
        };
        match self.alpha {
            Some(alpha) => write!(formatter, "{words} {alpha}"),
            None => formatter.write_str(&words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Files<'static> {
        Files { train: "a", test: Some("b"), task: Task::Regression, examples: 600 }
    }

    #[test]
    fn each_is_called_as_a_person_would() {
        let candidate = Candidate { program: Program::Russet, method: Method::Ssm, alpha: Some(0.125) };
        let expected = "train a --json --quiet --loss squared --expansion apple --select ssm --alpha 0.125 \
                        --preset paper --learning-rate 0.05 --test b";
        assert_eq!(candidate.arguments(Some(0.05), &files(), true).join(" "), expected);
        assert_eq!(candidate.to_string(), "ssm 0.125");
        let candidate = Candidate { program: Program::Vw, method: Method::Apple, alpha: Some(1.0) };
        let expected = "--task regression --train a --test b -- -b 18 --stage_poly --sched_exponent 1 --batch_sz 101 \
                        --batch_sz_no_doubling -l 2";
        assert_eq!(candidate.arguments(Some(2.0), &files(), true).join(" "), expected);
        assert_eq!(candidate.to_string(), "VW apple 1");
        let candidate = Candidate { program: Program::Sklearn, method: Method::Default, alpha: None };
        let expected = "--task regression --train a --test b --program sklearn";
        assert_eq!(candidate.arguments(None, &files(), false).join(" "), expected);
        assert_eq!(candidate.to_string(), "scikit-learn");
    }
}
