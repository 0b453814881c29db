"""The work that russet and Vowpal Wabbit are compared by: the same for both, as commands of each.

Every case is a kind of work on a data set. Both programs are at learning rate 0.5, squared loss, one pass, and have room for
2^18 weights (cubic: 2^24) unless said otherwise.
"""

from pathlib import Path
from typing import NamedTuple

from common import (APPLE_EPOCHS, count_lines, pinned, run, run_russet, run_russet_predict, run_vw, vw_apple)

# What the programs of a case are called, in tables and CSV files.
VW_ONE, VW_TWO = "VW, one thread", "VW, two threads"
VW_LINEAR_ONE, VW_LINEAR_TWO = "VW linear, one thread", "VW linear, two threads"
RUSSET_ALL, RUSSET_ONE = "russet, all cores", "russet, one core"

# Runs of VW that take seconds are done this often at most with two threads, which is the slower way there.
MOST_LONG_RUNS = 2


class Pair(NamedTuple):
    """The arguments that make the two programs do the same work."""

    vw: list
    russet: list


class Work(NamedTuple):
    """A kind of work: its data sets, how both programs do it, and whether VW takes seconds for it."""

    title: str
    sets: list
    programs: callable
    is_long: bool


def linear(data):
    return Pair(["-d", data, "-b", "18"], [data, "--expansion", "linear"])


def quadratic(data):
    return Pair(["-d", data, "-b", "18", "-q", "::"], [data, "--expansion", "quadratic"])


def cubic(data):
    """VW's `--cubic :::` has no products of two, russet's cubic expansion has them."""
    return Pair(["-d", data, "-b", "24", "-q", "::", "--cubic", ":::"], [data, "--expansion", "cubic", "--bits", "24"])


def apple(data, flags=("--expansion", "apple")):
    """Both grow five times, at the same points."""
    return Pair(["-d", data, "-b", "18", *vw_apple(count_lines(data) // APPLE_EPOCHS)], [data, *flags])


def cache(russet, data, folder):
    """Each program's own cache, made beforehand."""
    caches = Pair(Path(folder) / f"{data.stem}.vw_cache", Path(folder) / f"{data.stem}.cache")
    for file in caches:
        # One of an earlier run must not stand in for one that could not be made.
        file.unlink(missing_ok=True)
    run_vw(["-d", data, "-b", "18", "--cache_file", caches.vw, "--passes", "1"])
    run([russet, "convert", data, "-o", caches.russet])
    return Pair(["--cache_file", caches.vw, "-b", "18"], [caches.russet, "--expansion", "linear"])


def training(pair):
    """What makes the programs of a training: `pair` has the arguments for a file."""
    return lambda arguments, data, folder: four(arguments, pair(data))


def from_cache(arguments, data, folder):
    return four(arguments, cache(arguments.russet, data, folder))


def from_names(arguments, data, folder):
    """As `linear`, but features are called `f1` instead of `1`: words, which are hashed and looked up."""
    named = Path(folder) / data.name
    with open(data, encoding="utf-8") as source, open(named, "w", encoding="utf-8") as file:
        for line in source:
            head, bar, features = line.rstrip().partition("| ")
            file.write(f"{head}{bar}{' '.join(f'f{feature}' for feature in features.split())}\n")
    return four(arguments, linear(named))


def four(arguments, pair):
    """VW on one thread and on two, russet on all cores and on one."""
    return {
        **two_of_vw(pair.vw),
        RUSSET_ALL: lambda: run_russet(arguments.russet, pair.russet),
        RUSSET_ONE: on_one_core(lambda: run_russet(arguments.russet, [*pair.russet, "--readers", "1"])),
    }


def two_of_vw(words, one=VW_ONE, two=VW_TWO):
    return {one: on_one_core(lambda: run_vw(words)), two: lambda: run_vw(words, two_threads=True)}


def on_one_core(program):
    def pinned_program():
        with pinned():
            return program()
    return pinned_program


def apple_and_linear(arguments, data, folder):
    """Apple, and VW's linear learner with it, since russet's apple should not take longer than that."""
    return {**four(arguments, apple(data)), **two_of_vw(linear(data).vw, VW_LINEAR_ONE, VW_LINEAR_TWO)}


def prediction(arguments, data, folder):
    """Predicts with apple models of the same data, text in and text out; VW's does apply the parents it grew."""
    folder, pair = Path(folder), apple(data)
    models, written = Pair(folder / "vw.model", folder / "russet.model"), folder / "predictions"
    run_vw([*pair.vw, "-f", models.vw])
    run_russet(arguments.russet, [*pair.russet, "-o", models.russet])
    words = [data, "-m", models.russet]
    return {
        **two_of_vw(["-d", data, "-t", "-i", models.vw, "-p", written]),
        RUSSET_ALL: lambda: run_russet_predict(arguments.russet, words, written),
        RUSSET_ONE: on_one_core(lambda: run_russet_predict(arguments.russet, [*words, "--readers", "1"], written)),
    }


APPLE_DENSE = ["activity", "letter", "bio-40k", "numeric30"]
APPLE_SPARSE = ["census", "covtype", "20news", "rcv1", "criteo"]

# Where the shared data is missing, these take its place.
DENSE_STAND_IN, SPARSE_STAND_IN = ["cal_housing"], ["a9a-sample"]
STAND_INS = [*DENSE_STAND_IN, *SPARSE_STAND_IN]
# Dense, one-hot and wide sparse data.
LINEAR = ["covtype", "census", "activity", "numeric30", "20news", "rcv1", "criteo", *STAND_INS]
# Those that VW does not take many seconds for.
QUADRATIC = ["covtype", "census", "activity", "numeric30", "criteo", *STAND_INS]
PREDICT = ["letter", "activity", "numeric30-40k", "covtype", "census", "20news", "rcv1", "criteo", *STAND_INS]

WORKS = {
    "linear": Work("linear, text", LINEAR, training(linear), is_long=False),
    "names": Work("linear, text with names", LINEAR, from_names, is_long=False),
    "cache": Work("linear, cache", LINEAR, from_cache, is_long=False),
    "quadratic": Work("quadratic", QUADRATIC, training(quadratic), is_long=False),
    "cubic": Work("cubic", ["letter", "numeric30-40k"], training(cubic), is_long=False),
    "apple-dense": Work("apple, dense", [*APPLE_DENSE, *DENSE_STAND_IN], apple_and_linear, is_long=True),
    "apple-sparse": Work("apple, sparse", [*APPLE_SPARSE, *SPARSE_STAND_IN], apple_and_linear, is_long=True),
    "predict": Work("predict with an apple model", PREDICT, prediction, is_long=True),
}


def fewer_runs(work, runs):
    """How often the programs run that need not run every time."""
    return {name: min(runs, MOST_LONG_RUNS) for name in (VW_TWO, VW_LINEAR_TWO)} if work.is_long else {}
