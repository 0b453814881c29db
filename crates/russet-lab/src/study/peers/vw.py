"""Runs Vowpal Wabbit once for a study and prints one JSON line.

Usage: vw.py --task TASK --train FILE [--test FILE] [--vw PROGRAM] -- VW-ARGUMENTS...

Seconds are those inside VW (of the program, if one is named): Python's start is not counted. With --test, the errors
are computed from VW's predictions; without, nothing but the training is done, so that it can be measured.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

# The package loads numpy, whose second thread would spin idly and be counted as VW's processor time.
os.environ["OPENBLAS_NUM_THREADS"] = "1"


def main():
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        run = run_program(arguments.vw) if arguments.vw else run_package()
        report = study(run, arguments, folder)
    print(json.dumps(report))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", choices=["classification", "regression"], required=True)
    parser.add_argument("--train", required=True)
    parser.add_argument("--test")
    parser.add_argument("--vw")
    parser.add_argument("flags", nargs="*")
    return parser.parse_args()


def study(run, arguments, folder):
    model, predictions = os.path.join(folder, "model"), os.path.join(folder, "predictions")
    keep = ["-f", model, "-p", predictions] if arguments.test else []
    memory = peak_memory()
    wall, cpu, said = run(["-d", arguments.train, *arguments.flags, *keep])
    examples = figure("number of examples", said)
    if not examples:
        sys.exit("VW read no examples\n" + said)
    report = {
        "seconds": wall,
        "cpu_seconds": cpu,
        "features_per_example": figure("total feature number", said) / examples,
        "progressive_loss": figure("average loss", said),
        "peak_memory_bytes": None if arguments.vw else peak_memory() - memory,
    }
    if arguments.test:
        labels, scores = read_labels(arguments.train), read_predictions(predictions)
        report["progressive_error"] = error(arguments.task, labels, scores)
        run(["-d", arguments.test, "-t", "-i", model, "-p", predictions])
        labels, scores = read_labels(arguments.test), read_predictions(predictions)
        report["test_error"] = error(arguments.task, labels, scores)
        report["test_loss"] = error("regression", labels, scores)
        report["auc"] = area(labels, scores) if arguments.task == "classification" else None
    return report


def run_package():
    """VW within this process, on one thread: with two, the hand-over costs more than it saves."""
    from vowpal_wabbit_next import run_cli_driver

    def run(flags):
        cpu, wall = cpu_seconds(resource.RUSAGE_SELF), time.perf_counter()
        said, log = run_cli_driver(flags, onethread=True)
        taken = time.perf_counter() - wall, cpu_seconds(resource.RUSAGE_SELF) - cpu
        return *taken, "\n".join([said, *map(str, log)])

    return run


def run_program(program):
    """VW as a program of its own."""
    def run(flags):
        cpu, wall = cpu_seconds(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run([program, *flags], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr.strip()[-400:])
        taken = time.perf_counter() - wall, cpu_seconds(resource.RUSAGE_CHILDREN) - cpu
        return *taken, done.stderr + done.stdout

    return run


def cpu_seconds(whose):
    usage = resource.getrusage(whose)
    return usage.ru_utime + usage.ru_stime


def peak_memory():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def figure(name, text):
    found = re.search(name + r" = ([-+\d.e]+)", text)
    return float(found.group(1)) if found else None


def read_labels(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return [float(line.split(None, 1)[0]) for line in file]


def read_predictions(path):
    with open(path, encoding="ascii") as file:
        return [float(line.split()[0]) for line in file]


def error(task, labels, scores):
    """The share of mistakes, or the mean squared error."""
    pairs = list(zip(labels, scores, strict=True))
    if task == "classification":
        return sum((label > 0) != (score > 0) for label, score in pairs) / len(pairs)
    return sum((label - score) ** 2 for label, score in pairs) / len(pairs)


def area(labels, scores):
    """Under the ROC curve: the share of pairs of two classes in the right order, ties counted half."""
    order = sorted(range(len(scores)), key=scores.__getitem__)
    rank_sum, place = 0.0, 0
    while place < len(order):
        end = place
        while end < len(order) and scores[order[end]] == scores[order[place]]:
            end += 1
        positive = sum(labels[index] > 0 for index in order[place:end])
        rank_sum += positive * (place + 1 + end) / 2
        place = end
    positive = sum(label > 0 for label in labels)
    negative = len(labels) - positive
    if not positive or not negative:
        return None
    return (rank_sum - positive * (positive + 1) / 2) / (positive * negative)


if __name__ == "__main__":
    main()
