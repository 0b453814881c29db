"""What `parity` and `speed` share: where things are, how the two programs are run, and how a table is printed."""

import argparse
import json
import os
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


def argument_parser(description):
    """A parser with the options that both scripts have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, metavar="FOLDER", default=REPOSITORY.parent / "shared" / "data",
                        help="where the .vw.zst files are [default: ../shared/data, seen from the repository]")
    parser.add_argument("--russet", type=Path, metavar="PROGRAM", default=REPOSITORY / "target" / "release" / "russet",
                        help="the program to compare [default: target/release/russet]")
    return parser


def prepare(arguments):
    """Checks that all is there before the first run, and makes what can be made."""
    if not arguments.data.is_dir():
        raise BenchError(f"there is no data folder {arguments.data}; say where it is with --data")
    if not arguments.russet.is_file():
        raise BenchError(f"there is no program {arguments.russet}; build it with `cargo build --release`")
    arguments.data = arguments.data.resolve()
    arguments.russet = arguments.russet.resolve()
    WORK.mkdir(exist_ok=True)
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
