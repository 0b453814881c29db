#!/usr/bin/env python3
"""Runs Vowpal Wabbit from PyPI as its own program would run, on one thread or two, and measures it.

Usage: vw.py [--two-threads] VW-ARGUMENTS...   (as for the `vw` program: -d FILE -b 18 -q :: ...)

Prints one JSON line: seconds and cpu_seconds inside VW, loss, examples, features_per_example. Python's start is
not counted. The comparisons run it as a child process with the Python of `bench/.venv`, where the package
vowpal-wabbit-next is.
"""

import json
import os
import re
import resource
import sys
import time

# The package loads numpy, whose second thread would spin idly and be counted as VW's CPU time.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from vowpal_wabbit_next import run_cli_driver  # noqa: E402 (numpy reads the variable above when it is loaded)


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def figure(pattern, text):
    found = re.search(pattern + r" = ([-+\d.e]+)", text)
    return float(found.group(1)) if found else None


def main(arguments):
    # The second thread parses. It is what VW does by itself, but the hand-over to the learner mostly costs more than it saves.
    two_threads = arguments[:1] == ["--two-threads"]
    arguments = arguments[1:] if two_threads else arguments
    cpu_before, wall_before = cpu_seconds(), time.perf_counter()
    output, log = run_cli_driver(arguments, onethread=not two_threads)
    wall, cpu = time.perf_counter() - wall_before, cpu_seconds() - cpu_before

    examples = figure("number of examples", output)
    features = figure("total feature number", output)
    if not examples:
        # VW reports many mistakes, such as a missing file, in its log alone.
        sys.exit("vw.py: VW read no examples\n" + output + "\n".join(map(str, log)))
    print(json.dumps({
        "seconds": wall,
        "cpu_seconds": cpu,
        "loss": figure("average loss", output),
        "examples": int(examples),
        "features_per_example": features / examples,
    }))


if __name__ == "__main__":
    main(sys.argv[1:])
