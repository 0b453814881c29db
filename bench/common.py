"""What the comparisons share: where things are, how the two programs are run and judged, and how a table is printed."""

import argparse
import csv
import json
import math
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

BENCH = Path(__file__).resolve().parent
REPOSITORY = BENCH.parent
WORK = BENCH / ".work"
ENVIRONMENT = BENCH / ".venv"
PYTHON_ENVIRONMENT = BENCH / ".venv-python"
PYTHON_PEERS = ["numpy", "scipy", "pandas", "scikit-learn>=1.6", "lightgbm"]

NUMERIC_EXAMPLES = 200_000
NUMERIC_FEATURES = 30

# How many epochs an adaptive expansion has, with a growth after each but the last: russet's default.
APPLE_EPOCHS = 6

# The shared data sets that are judged by the squared error; the others have two classes.
REGRESSIONS = {"abalone_reg", "cal_housing", "comp_activ"}

# Pinned, so that everyone compares with the same VW (this is 9.9).
VW_PACKAGE = "vowpal-wabbit-next==0.7.0"


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


def prepare(arguments, with_vw=True):
    """Checks that all is there before the first run, and makes what can be made."""
    if "data" in arguments:
        if not arguments.data.is_dir():
            raise BenchError(f"there is no data folder {arguments.data}; say where it is with --data")
        arguments.data = arguments.data.resolve()
    if not arguments.russet.is_file():
        raise BenchError(f"there is no program {arguments.russet}; build it with `cargo build --release`")
    arguments.russet = arguments.russet.resolve()
    WORK.mkdir(exist_ok=True)
    if with_vw:
        make_environment()


def make_environment():
    """Makes the virtual environment with VW, unless it is there and whole."""
    python = environment_python()
    check = [python, "-c", "import vowpal_wabbit_next"]
    if python.exists() and subprocess.run(check, capture_output=True).returncode == 0:
        return
    print(f"Installing {VW_PACKAGE} into {ENVIRONMENT} ...", file=sys.stderr)
    run([sys.executable, "-m", "venv", "--clear", ENVIRONMENT])
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", VW_PACKAGE])


def make_python_environment():
    """Makes the virtual environment with russet's Python package and its peers, unless they are there; gives its Python.

    The package is built anew every time, so that what is measured is what is in the repository.
    """
    python = PYTHON_ENVIRONMENT / "bin" / "python"
    if not python.exists():
        run([sys.executable, "-m", "venv", "--clear", PYTHON_ENVIRONMENT])
    print(f"Installing the Python package and its peers into {PYTHON_ENVIRONMENT} ...", file=sys.stderr)
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PYTHON_PEERS])
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall", "--no-deps",
         REPOSITORY / "python"])
    return python


def run_attached(command):
    """Runs a command that prints for itself; true if it found all well."""
    status = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL).returncode
    if status > 1:
        raise BenchError(f"`{command[1]}` failed with {status}")
    return status == 0


def environment_python():
    return ENVIRONMENT / "bin" / "python"


def run(command):
    """Runs a command to its end and gives what it printed; its failure is ours."""
    command = [str(part) for part in command]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise BenchError(f"`{' '.join(command)}` failed with {done.returncode}:\n{done.stderr.strip()[-2000:]}")
    return done.stdout


def run_vw(arguments):
    """Runs VW; the seconds are those inside VW, as it would have taken them without Python."""
    report = json.loads(run([environment_python(), BENCH / "vw.py", *arguments]))
    return Measured(report["seconds"], report["cpu_seconds"], report)


def vw_apple(batch):
    """VW's flags for an adaptive expansion that grows after every `batch` examples.

    It grows at the start of the example that follows, so it never grows after the last.
    """
    return ["--stage_poly", "--sched_exponent", "1", "--batch_sz", str(batch), "--batch_sz_no_doubling"]


def run_russet(program, arguments):
    """Runs `russet train`; the seconds are those of the whole process, from start to exit."""
    wall_before, cpu_before = time.perf_counter(), children_cpu_seconds()
    output = run([program, "train", *arguments, "--quiet", "--json"])
    wall, cpu = time.perf_counter() - wall_before, children_cpu_seconds() - cpu_before
    return Measured(wall, cpu, json.loads(output))


def children_cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def decompress(arguments, name):
    """Unpacks a data set into the work folder and gives its path.

    Done anew every time, since it is quick and `--data` may have changed.
    """
    source, target = arguments.data / f"{name}.vw.zst", WORK / f"{name}.vw"
    if not source.is_file():
        raise BenchError(f"there is no file {source}")
    partial = partial_path(target)
    # zstd gives a file its source's permissions, so one left by an interrupted run may be read-only.
    partial.unlink(missing_ok=True)
    if shutil.which("zstd"):
        run(["zstd", "--decompress", "--quiet", "--force", source, "-o", partial])
    else:
        run([arguments.russet, "convert", source, "-o", partial])
    os.replace(partial, target)
    return target


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


def numeric_file():
    """Makes the file of numeric features, if it is not there yet: the same on every machine."""
    target = WORK / "numeric30.vw"
    if target.exists():
        return target
    print(f"Making {target} ...", file=sys.stderr)
    source, partial = random.Random(1), partial_path(target)
    with open(partial, "w", encoding="ascii") as file:
        for _ in range(NUMERIC_EXAMPLES):
            file.write(numeric_line(source))
    os.replace(partial, target)
    return target


def numeric_line(source):
    values = [source.random() for _ in range(NUMERIC_FEATURES)]
    label = 1 if source.random() < probability(values) else -1
    return f"{label} | " + " ".join(f"{name}:{value:.6f}" for name, value in enumerate(values, 1)) + "\n"


def probability(values):
    """Of the positive class: a logistic function of six features and three products."""
    centred = [value - 0.5 for value in values]
    linear = 2.0 * (centred[0] + centred[1] + centred[2]) - 1.5 * (centred[10] + centred[20] + centred[29])
    products = centred[3] * centred[4] - centred[5] * centred[6] + centred[7] * centred[8]
    return 1.0 / (1.0 + math.exp(-linear - 16.0 * products))


def warn_if_busy():
    """Says so if something else is running: russet, with its several threads, would lose more by it than VW."""
    idle_before, total_before = processor_ticks()
    time.sleep(1)
    idle_after, total_after = processor_ticks()
    busy = 1 - (idle_after - idle_before) / (total_after - total_before)
    if busy > 0.1:
        print(f"warning: other programs use {busy:.0%} of this machine; the ratios will be too high")


def processor_ticks():
    """How long the processors have been idle, and how long in all, as Linux counts."""
    ticks = [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


def take_turns(what, count, programs):
    """Runs programs by turns, so that whatever else the machine does slows all alike: for each name, its runs."""
    runs = {name: [] for name in programs}
    for _ in range(count):
        for name, program in programs.items():
            runs[name].append(program())
    counts = {measured.report["examples"] for of_one in runs.values() for measured in of_one}
    if len(counts) != 1:
        raise BenchError(f"{what}: the programs read different numbers of examples: {counts}")
    return runs


def best(runs):
    """The shortest wall and CPU times, which need not be of the same run."""
    return min(run.wall_seconds for run in runs), min(run.cpu_seconds for run in runs)


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
