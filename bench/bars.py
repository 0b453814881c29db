"""What russet's speed is held to, and whether it was met: the bars of `bench/run`.

A ratio is russet's wall time on all cores over VW's with one thread or two, whichever is faster: the geometric mean over
the sets of a kind of work, from the shortest run of each. A bar is not met by spending a second core alone: russet's CPU time
may be at most 1.3 times that of its run on one core.
"""

from typing import NamedTuple

from cases import RUSSET_ALL, RUSSET_ONE, VW_LINEAR_ONE, VW_LINEAR_TWO, VW_ONE, VW_TWO, WORKS
from common import best, geometric_mean, median

MOST_CPU = 1.3

# For each kind of work, the share of VW's wall time that russet may take, and the share it is meant to take one day.
RATIO_BARS = {
    "linear": (1 / 4, 1 / 6),
    "names": (1 / 2, 1 / 4),
    "cache": (1 / 4, 1 / 8),
    "quadratic": (1 / 2, 1 / 4),
    "cubic": (1 / 2, 1 / 4),
    "apple-dense": (1 / 15, 1 / 30),
    "apple-sparse": (1 / 5, 1 / 10),
    "predict": (1 / 8, 1 / 15),
}
# Of apple's sets, the share on which russet's apple should take less time than VW's linear learner.
FASTER_BAR, FASTER_GOAL = 2 / 3, 1
PREDICTION_BAR, PREDICTION_GOAL = 5.0, 1.0
LOAD_BAR, LOAD_GOAL = 20.0, 5.0


class Result(NamedTuple):
    """All runs of one kind of work on one data set."""

    work: str
    data: str
    runs: dict

    def vw(self, names=(VW_ONE, VW_TWO)):
        """The faster of two ways to run VW."""
        return min(names, key=lambda name: best(self.runs[name])[0])

    def ratio(self, russet=RUSSET_ALL, vw_names=(VW_ONE, VW_TWO), summary=best):
        return summary(self.runs[russet])[0] / min(summary(self.runs[name])[0] for name in vw_names)

    def linear_ratio(self):
        return self.ratio(vw_names=(VW_LINEAR_ONE, VW_LINEAR_TWO))

    def median_ratio(self):
        return self.ratio(summary=median)

    def cpu_ratio(self):
        """What russet's threads cost: CPU time on all cores over CPU time on one."""
        return best(self.runs[RUSSET_ALL])[1] / best(self.runs[RUSSET_ONE])[1]


class Verdict(NamedTuple):
    """One bar: what it is about, the figure, and how it stands; `met` is none where nothing was measured."""

    what: str
    figure: str
    bar: str
    goal: str
    met: bool | None
    reaches_goal: bool
    note: str


def verdicts(results, serving):
    """All bars, in the order of the table they come from."""
    found = [judge_ratio(work, results) for work in RATIO_BARS]
    found.insert(-1, judge_against_linear(results))
    return [*found, judge_prediction(serving), judge_load(serving)]


def judge_ratio(work, results):
    title, (bar, goal) = WORKS[work].title, RATIO_BARS[work]
    ours = [result for result in results if result.work == work]
    if not ours:
        return unmeasured(title, fraction(bar), fraction(goal))
    ratio = geometric_mean([result.ratio() for result in ours])
    alone = geometric_mean([result.ratio(RUSSET_ONE) for result in ours])
    cpu = geometric_mean([result.cpu_ratio() for result in ours])
    met = ratio <= bar and cpu <= MOST_CPU
    note = f"one core: {fraction(alone)}; CPU {cpu:.2f} times that of one core"
    if ratio <= bar and not met:
        note += f", more than {MOST_CPU}"
    return Verdict(title, fraction(ratio), fraction(bar), fraction(goal), met, met and ratio <= goal, note)


def judge_against_linear(results):
    what = "apple against VW's linear"
    ours = [result for result in results if result.work.startswith("apple")]
    if not ours:
        return unmeasured(what, "2/3 of the sets", "all")
    faster = [result.data for result in ours if result.linear_ratio() < 1]
    share = len(faster) / len(ours)
    return Verdict(what, f"faster on {len(faster)} of {len(ours)}", "2/3 of the sets", "all", share >= FASTER_BAR,
                   share >= FASTER_GOAL, ", ".join(faster) or "none")


def judge_prediction(serving):
    what, bar, goal = "one prediction in process", f"{PREDICTION_BAR:g} us", f"{PREDICTION_GOAL:g} us"
    if not serving:
        return unmeasured(what, bar, goal)
    measured = serving["prediction"]
    time, alone = measured["from_values_us"]["best"], measured["alone_us"]["best"]
    note = (f"{measured['features']} features, {measured['parents']} parents; from names and values; "
            f"{alone:.2f} us where the example lies in a batch")
    return Verdict(what, f"{time:.2f} us", bar, goal, time < PREDICTION_BAR, time < PREDICTION_GOAL, note)


def judge_load(serving):
    """The slower of two models: one of a million named features, one that grew products."""
    what, bar, goal = "load of a million weights", f"{LOAD_BAR:g} ms", f"{LOAD_GOAL:g} ms"
    if not serving:
        return unmeasured(what, bar, goal)
    names, together = ("load_linear", "load_apple"), serving["on_all_cores"]
    time, alone = (max(where[name]["load_ms"]["best"] for name in names) for where in (together, serving))
    cpu = max(together[name]["processor_ms"] / serving[name]["processor_ms"] for name in names)
    note = "; ".join(f"{title}, {together[name]['weights']:,} weights: {together[name]['load_ms']['best']:.1f} ms"
                     for title, name in zip(("linear, all named", "apple"), names))
    note += f"; one core: {alone:.1f} ms; CPU {cpu:.2f} times that of one core"
    met = time < LOAD_BAR and cpu <= MOST_CPU
    if time < LOAD_BAR and not met:
        note += f", more than {MOST_CPU}"
    return Verdict(what, f"{time:.1f} ms", bar, goal, met, met and time < LOAD_GOAL, note)


def unmeasured(what, bar, goal):
    return Verdict(what, "-", bar, goal, None, False, "not measured")


def fraction(ratio):
    """A ratio below one as people say it: 1/4."""
    return f"1/{1 / ratio:.3g}" if ratio < 1 else f"{ratio:.2f}"
