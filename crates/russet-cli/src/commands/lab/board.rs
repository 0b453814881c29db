//! What a person watches while a study goes on: a live line on a terminal, a line now and then otherwise.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use russet_lab::study::{Event, Observer, Stage};

use crate::output::{duration, note};

/// How often to tell how far it is where there is no live line.
const PATIENCE: Duration = Duration::from_secs(10);

/// The display of a study.
pub(crate) struct Board {
    style: Style,
    state: Mutex<State>,
}

enum Style {
    Silent,
    Lines,
    Live(ProgressBar),
}

#[derive(Default)]
struct State {
    stage: Option<Stage>,
    runs: usize,
    ended: usize,
    /// The runs that are going on.
    running: Vec<String>,
    left: Option<f64>,
    told: Option<Instant>,
}

impl Board {
    pub(crate) fn new(quiet: bool) -> Board {
        let style = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Style::Silent,
            (false, true) => Style::Live(live_bar()),
            (false, false) => Style::Lines,
        };
        Board { style, state: Mutex::default() }
    }

    /// Ends the display.
    pub(crate) fn finish(&self) {
        if let Style::Live(bar) = &self.style {
            bar.finish_and_clear();
        }
    }

    /// Says something that stays on the screen.
    fn say(&self, text: &str) {
        match &self.style {
            Style::Silent => {}
            Style::Lines => note(text),
            Style::Live(bar) => bar.suspend(|| note(text)),
        }
    }

    fn show(&self, state: &mut State) {
        match &self.style {
            Style::Silent => {}
            Style::Live(bar) => {
                bar.set_length(state.runs as u64);
                bar.set_position(state.ended as u64);
                let running = state.running.join(", ");
                bar.set_message(format!("{}  {running}", state.text()));
            }
            Style::Lines if state.told.is_none_or(|told| told.elapsed() >= PATIENCE) => {
                state.told = Some(Instant::now());
                note(state.text());
            }
            Style::Lines => {}
        }
    }
}

impl Observer for Board {
    fn notice(&self, event: Event<'_>) {
        match event {
            Event::Reading { set } => {
                if let Style::Live(bar) = &self.style {
                    bar.set_message(format!("reading {set}"));
                }
                return;
            }
            Event::Unusable { set, problem } => return self.say(&format!("{set} is left out: {problem}")),
            Event::Installing { peer } => return self.say(&format!("making {peer} ready")),
            Event::Missing { peer, problem } => return self.say(&format!("{peer} is left out: {problem}")),
            Event::Begins { .. } | Event::Started { .. } | Event::Ended { .. } => {}
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.update(event);
        self.show(&mut state);
    }
}

impl State {
    fn update(&mut self, event: Event<'_>) {
        match event {
            Event::Begins { stage, runs } => {
                *self = State { stage: Some(stage), runs, left: self.left, ..State::default() }
            }
            Event::Started { run } => self.running.push(run.to_owned()),
            Event::Ended { run, left, .. } => {
                self.running.retain(|running| running != run);
                self.ended += 1;
                self.left = left;
            }
            _ => {}
        }
    }

    /// Such as `choosing learning rates: 45 of 128 runs, left 2 min 05 s`.
    fn text(&self) -> String {
        let doing = match self.stage {
            None => "reading",
            Some(Stage::Estimate) => "estimating",
            Some(Stage::Tune) => "choosing learning rates",
            Some(Stage::Time) => "taking times",
        };
        let left = self.left.map_or(String::new(), |left| format!(", left {}", duration(left)));
        // Interactions and repeated timings come on top of what was planned.
        format!("{doing}: {} of {} runs{left}", self.ended.min(self.runs), self.runs)
    }
}

fn live_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:20} {wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(1).with_style(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_is_told() {
        let mut state = State::default();
        state.update(Event::Begins { stage: Stage::Tune, runs: 128 });
        state.update(Event::Started { run: "a" });
        state.update(Event::Started { run: "b" });
        state.update(Event::Ended { run: "a", known: false, left: Some(125.0) });
        assert_eq!(state.text(), "choosing learning rates: 1 of 128 runs, left 2 min 05 s");
        assert_eq!(state.running, ["b"]);
    }
}
