"""What the comparisons share: where things are, how the two programs are run and judged, and how a table is printed."""

import argparse
import contextlib
import csv
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

BENCH = Path(__file__).resolve().parent
REPOSITORY = BENCH.parent
WORK = BENCH / ".work"
ENVIRONMENT = BENCH / ".venv"

# How many epochs an adaptive expansion has, with a growth after each but the last: russet's default.
APPLE_EPOCHS = 6

# The shared data sets that are judged by the squared error; the others have two classes.
REGRESSIONS = {"abalone_reg", "cal_housing", "comp_activ"}

# What is installed for comparison, and the module that tells whether it is there. VW is pinned, so that everyone compares
# with the same (this is 9.9).
PEERS = {
    "vowpal-wabbit-next==0.7.0": "vowpal_wabbit_next",
    "numpy": "numpy",
    "scipy": "scipy",
    "pandas": "pandas",
    "scikit-learn>=1.6": "sklearn",
    "lightgbm": "lightgbm",
}


class BenchError(Exception):
    """Something that keeps a comparison from running, told to the user without a traceback."""


class Measured(NamedTuple):
    """One run of a program: what it took, and the JSON object it printed."""

    wall_seconds: float
    cpu_seconds: float
    report: dict


def run_main(main):
    """Runs a script's main and exits: 0 if it found all well, 1 if not, 2 if it could not run."""
    try:
        sys.exit(0 if main() else 1)
    except BenchError as error:
        print(f"{Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        sys.exit(2)


def argument_parser(description, with_data=True):
    """A parser with the options that all scripts have."""
    parser = argparse.ArgumentParser(description=description)
    if with_data:
        parser.add_argument("--data", type=Path, metavar="FOLDER", default=REPOSITORY.parent / "shared" / "data",
                            help="where the .vw.zst files are [default: ../shared/data, seen from the repository]")
    parser.add_argument("--russet", type=Path, metavar="PROGRAM", default=REPOSITORY / "target" / "release" / "russet",
                        help="the program to compare [default: target/release/russet]")
    return parser


def prepare(arguments, with_vw=True, needs_data=True):
    """Checks that all is there before the first run, and makes what can be made."""
    if "data" in arguments:
        if needs_data and not arguments.data.is_dir():
            raise BenchError(f"there is no data folder {arguments.data}; say where it is with --data")
        arguments.data = arguments.data.resolve()
    if not arguments.russet.is_file():
        raise BenchError(f"there is no program {arguments.russet}; build it with `cargo build --release`")
    arguments.russet = arguments.russet.resolve()
    WORK.mkdir(exist_ok=True)
    if with_vw:
        make_environment()


def make_environment():
    """Makes the virtual environment with the peers, unless it is there and whole; gives its Python."""
    python = environment_python()
    check = [python, "-c", f"import {', '.join(PEERS.values())}"]
    if python.exists() and subprocess.run(check, capture_output=True).returncode == 0:
        return python
    print(f"Installing {', '.join(PEERS)} into {ENVIRONMENT} ...", file=sys.stderr)
    run([sys.executable, "-m", "venv", "--clear", ENVIRONMENT])
    pip_install(*PEERS)
    return python


def make_python_package():
    """Makes the environment, with russet's Python package beside the peers; gives its Python.

    The package is built anew every time, so that what is measured is what is in the repository.
    """
    python = make_environment()
    print(f"Building the Python package into {ENVIRONMENT} ...", file=sys.stderr)
    pip_install("--force-reinstall", "--no-deps", REPOSITORY / "python")
    return python


def pip_install(*words):
    run([environment_python(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *words])


def run_attached(command):
    """Runs a command that prints for itself; true if it found all well."""
    status = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL).returncode
    if status > 1:
        raise BenchError(f"`{command[1]}` failed with {status}")
    return status == 0


def environment_python():
    return ENVIRONMENT / "bin" / "python"


def run(command, output=subprocess.PIPE):
    """Runs a command to its end and gives what it printed, unless `output` is a file; its failure is ours."""
    command = [str(part) for part in command]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True)
    except OSError as error:
        raise BenchError(f"`{command[0]}` cannot be run: {error}") from error
    if done.returncode != 0:
        raise BenchError(f"`{' '.join(command)}` failed with {done.returncode}:\n{done.stderr.strip()[-2000:]}")
    return done.stdout


@contextlib.contextmanager
def pinned():
    """On one core, for all that is started meanwhile: always the same one, the last."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def run_vw(arguments, two_threads=False):
    """Runs VW; the seconds are those inside VW, as it would have taken them without Python."""
    threads = ["--two-threads"] if two_threads else []
    report = json.loads(run([environment_python(), BENCH / "vw.py", *threads, *arguments]))
    return Measured(report["seconds"], report["cpu_seconds"], report)


def vw_apple(batch):
    """VW's flags for an adaptive expansion that grows after every `batch` examples.

    It grows at the start of the example that follows, so it never grows after the last.
    """
    return ["--stage_poly", "--sched_exponent", "1", "--batch_sz", str(batch), "--batch_sz_no_doubling"]


def run_russet(program, arguments):
    """Runs `russet train`; the seconds are those of the whole process, from start to exit."""
    output, wall, cpu = timed(lambda: run([program, "train", *arguments, "--quiet", "--json"]))
    return Measured(wall, cpu, json.loads(output))


def run_russet_predict(program, arguments, predictions):
    """Runs `russet predict` with its output in a file; timed as `run_russet`. A prediction is a line."""
    with open(predictions, "wb") as file:
        _, wall, cpu = timed(lambda: run([program, "predict", *arguments], output=file))
    return Measured(wall, cpu, {"examples": count_lines(predictions)})


def timed(work):
    """What some work with child processes gave, its wall seconds and its children's CPU seconds."""
    wall_before, cpu_before = time.perf_counter(), children_cpu_seconds()
    result = work()
    return result, time.perf_counter() - wall_before, children_cpu_seconds() - cpu_before


def children_cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def partial_path(target):
    """Where to write a file before it takes its name, so that an interrupted run leaves no half file behind.

    The suffix stays, for russet tells formats by it.
    """
    return target.with_name(f"{target.stem}.partial{target.suffix}")


class Errors(NamedTuple):
    """The errors of one program on one data set."""

    progressive: float
    test: float


class Split(NamedTuple):
    """A data set, its two parts in files of their own, and their labels."""

    whole: Path
    train: Path
    test: Path
    train_labels: list
    test_labels: list


def split(data, folder):
    lines = data.read_text().splitlines(keepends=True)
    boundary = len(lines) * 4 // 5
    train, test = folder / "train.vw", folder / "test.vw"
    train.write_text("".join(lines[:boundary]))
    test.write_text("".join(lines[boundary:]))
    labels = [float(line.split(None, 1)[0]) for line in lines]
    return Split(data, train, test, labels[:boundary], labels[boundary:])


def vw_errors(parts, learning, error, folder):
    model, predictions = folder / "vw.model", folder / "vw.predictions"
    run_vw(["-d", parts.train, "-b", "18", *learning, "-f", model, "-p", predictions])
    progressive = error(read_predictions(predictions), parts.train_labels)
    run_vw(["-d", parts.test, "-t", "-i", model, "-p", predictions])
    return Errors(progressive, error(read_predictions(predictions), parts.test_labels))


def russet_errors(program, parts, rate, flags):
    report = run_russet(program, [parts.whole, "--holdout", "0.2", "--learning-rate", rate, *flags]).report
    if report["examples"] != len(parts.train_labels):
        raise BenchError(f"russet trained on {report['examples']} examples of {parts.whole.name}, "
                         f"not on the first {len(parts.train_labels)}")
    return Errors(report["progressive_error"], report["test_error"])


def error_of(name):
    """How the predictions on a data set are judged."""
    return squared_error if name in REGRESSIONS else mistakes


def read_predictions(path):
    return [float(line) for line in path.read_text().split()]


def mistakes(predictions, labels):
    wrong = sum((prediction > 0) != (label > 0) for prediction, label in zip(predictions, labels, strict=True))
    return wrong / len(labels)


def squared_error(predictions, labels):
    total = math.fsum((prediction - label) ** 2 for prediction, label in zip(predictions, labels, strict=True))
    return total / len(labels)


def count_lines(path):
    with open(path, "rb") as file:
        return sum(1 for _ in file)


def warn_if_busy():
    """Says so if something else is running: russet, with its several threads, would lose more by it than VW.

    Gives the share of the machine that others use.
    """
    idle_before, total_before = processor_ticks()
    time.sleep(1)
    idle_after, total_after = processor_ticks()
    busy = 1 - (idle_after - idle_before) / (total_after - total_before)
    if busy > 0.1:
        print(f"warning: other programs use {busy:.0%} of this machine; the ratios will be too high", file=sys.stderr)
    return busy


def processor_ticks():
    """How long the processors have been idle, and how long in all, as Linux counts."""
    ticks = [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


def take_turns(what, count, programs, fewer=None):
    """Runs programs by turns, so that whatever else the machine does slows all alike: for each name, its runs.

    `fewer` has the counts of programs that sit out the last turns.
    """
    runs, fewer = {name: [] for name in programs}, fewer or {}
    for turn in range(count):
        for name, program in programs.items():
            if turn < fewer.get(name, count):
                runs[name].append(program())
    counts = {measured.report["examples"] for of_one in runs.values() for measured in of_one}
    if len(counts) != 1:
        raise BenchError(f"{what}: the programs read different numbers of examples: {counts}")
    return runs


def best(runs):
    """The shortest wall and CPU times, which need not be of the same run."""
    return min(run.wall_seconds for run in runs), min(run.cpu_seconds for run in runs)


def median(runs):
    """The medians of wall and CPU times."""
    return (statistics.median(run.wall_seconds for run in runs), statistics.median(run.cpu_seconds for run in runs))


def geometric_mean(ratios):
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def write_csv(path, fields, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(fields)
        writer.writerows(rows)


class Table:
    """Prints rows as they come, under a heading: names on the left, figures on the right.

    `columns` holds each heading and the width its cells need.
    """

    def __init__(self, columns, name_columns):
        self.widths = [max(width, len(heading)) for heading, width in columns]
        self.name_columns = name_columns
        self.row(*(heading for heading, _ in columns))
        self.row(*("-" * width for width in self.widths))

    def row(self, *cells):
        aligned = [cell.ljust(width) if place < self.name_columns else cell.rjust(width)
                   for place, (cell, width) in enumerate(zip(cells, self.widths, strict=True))]
        print("  ".join(aligned).rstrip(), flush=True)
