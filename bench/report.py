"""Writes what `bench/run` found: the raw runs, a page that says how they stand against the bars, and a chart."""

import json
import os
import shutil
import tempfile
from pathlib import Path

from bars import MOST_CPU
from cases import RUSSET_ALL, RUSSET_ONE, VW_LINEAR_ONE, VW_LINEAR_TWO, WORKS
from chart import chart
from common import best, median, write_csv

CSV_FIELDS = ["work", "data", "run", "program", "wall_seconds", "cpu_seconds", "examples", "loss", "features_per_example",
              "peak_memory_bytes"]


class Findings:
    """All that a run found, and what it was made with."""

    def __init__(self, command, began, machine, busy, runs):
        self.command, self.began, self.machine, self.busy, self.runs = command, began, machine, busy, runs
        self.results, self.skipped, self.peers, self.serving, self.verdicts = [], [], [], None, []

    def apples(self):
        return [result for result in self.results if result.work.startswith("apple")]


def write(findings, folder):
    """Writes the folder whole or not at all; one of the same name is replaced."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=".partial-", dir=folder.parent))
    try:
        write_csv(partial / "runs.csv", CSV_FIELDS, csv_rows(findings.results))
        if findings.serving:
            (partial / "serving.json").write_text(json.dumps(findings.serving, indent=2) + "\n", encoding="utf-8")
        (partial / "README.md").write_text(page(findings), encoding="utf-8")
        if findings.apples():
            (partial / "chart.svg").write_text(chart(findings.apples(), where(findings)), encoding="utf-8")
        partial.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(partial, folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def where(findings):
    machine = findings.machine
    return (f"{machine['processor']}, {machine['cores']} cores, {findings.began:%Y-%m-%d}; best of {findings.runs}; "
            "VW with one thread or two, whichever is faster")


def csv_rows(results):
    for result in results:
        for program, runs in result.runs.items():
            for number, run in enumerate(runs, 1):
                # VW's average loss is russet's progressive loss.
                loss = run.report.get("loss", run.report.get("progressive_loss"))
                yield [result.work, result.data, number, program, f"{run.wall_seconds:.6f}", f"{run.cpu_seconds:.6f}",
                       run.report["examples"], loss, run.report.get("features_per_example"),
                       run.report.get("peak_memory_bytes")]


def page(findings):
    parts = [heading(findings), bars_section(findings.verdicts)]
    parts += [work_section(work, findings.results) for work in WORKS]
    parts += [apple_against_linear(findings.apples()), peers_section(findings.peers), skipped_section(findings.skipped)]
    return "\n\n".join(part for part in parts if part) + "\n"


def heading(findings):
    facts = {"date": f"{findings.began:%Y-%m-%d %H:%M}", "command": f"`{findings.command}`", **findings.machine}
    lines = [f"# russet and its peers, {findings.began:%Y-%m-%d}", "", *table(["", ""], facts.items(), left=(0, 1))]
    if findings.busy > 0.1:
        lines += ["", f"**Other programs used {findings.busy:.0%} of the machine when the run began: the ratios are too high.**"]
    if findings.apples():
        lines += ["", "![Training times](chart.svg)"]
    return "\n".join(lines)


def bars_section(verdicts):
    rows = [[verdict.what, verdict.figure, verdict.bar, standing(verdict), verdict.goal, verdict.note]
            for verdict in verdicts]
    return "\n".join([
        "## Bars", "",
        "Wall time of russet on all cores over that of VW with one thread or two, whichever is faster: the geometric mean over",
        f"the sets below, best runs. CPU time on all cores may be {MOST_CPU} times that on one core at most.", "",
        *table(["work", "figure", "bar", "", "goal", ""], rows, left=(0, 5)),
    ])


def standing(verdict):
    if verdict.met is None:
        return "-"
    return "goal" if verdict.reaches_goal else "met" if verdict.met else "**missed**"


def work_section(work, results):
    """Each set of a kind of work: best and median of every program."""
    ours = [result for result in results if result.work == work]
    if not ours:
        return ""
    heads = ["data", "VW threads", "VW wall", "median", "VW CPU", "russet wall", "median", "CPU", "one core wall", "median",
             "CPU", "ratio", "of medians", "one core ratio", "CPU ratio"]
    return "\n".join([f"## {WORKS[work].title[0].upper()}{WORKS[work].title[1:]}", "",
                      "Seconds; the best of the runs unless it says median.", "", *table(heads, map(work_row, ours), left=(0, 1))])


def work_row(result):
    vw = result.vw()
    return [result.data, "two" if "two" in vw else "one", *times(result.runs[vw]), *times(result.runs[RUSSET_ALL]),
            *times(result.runs[RUSSET_ONE]), f"{result.ratio():.3f}", f"{result.median_ratio():.3f}",
            f"{result.ratio(RUSSET_ONE):.3f}", f"{result.cpu_ratio():.2f}"]


def times(runs):
    """Wall, its median, CPU."""
    return [f"{best(runs)[0]:.3f}", f"{median(runs)[0]:.3f}", f"{best(runs)[1]:.3f}"]


def apple_against_linear(results):
    if not results:
        return ""
    rows = []
    for result in results:
        linear = result.vw((VW_LINEAR_ONE, VW_LINEAR_TWO))
        rows.append([result.data, "two" if "two" in linear else "one", *times(result.runs[linear]),
                     f"{best(result.runs[RUSSET_ALL])[0]:.3f}", f"{result.linear_ratio():.3f}"])
    heads = ["data", "VW threads", "VW linear wall", "median", "CPU", "russet apple wall", "ratio"]
    return "\n".join(["## russet's apple against VW's linear learner", "", *table(heads, rows, left=(0, 1))])


def peers_section(peers):
    if not peers:
        return ""
    rows = [[fit["data"], fit["learner"], f"{fit['fit_seconds']:.2f}", f"{fit['test_error']:.4f}"] for fit in peers]
    return "\n".join([
        "## Other learners", "",
        "For context, one run, no bar. The first 80% of the examples train, the rest test; defaults; one core; CPU seconds. The peers'",
        "data is a matrix in memory (census: a frame) and they are timed from there to the fitted model, scaling and one-hot encoding",
        "included. russet is timed as a whole process that reads text, learns in one pass and tests.", "",
        *table(["data", "learner", "CPU s", "test error"], rows, left=(0, 1)),
    ])


def skipped_section(skipped):
    return "\n".join(["## Left out", "", *(f"- {what}" for what in skipped)]) if skipped else ""


def table(heads, rows, left):
    """A table in Markdown: `left` has the places of columns with words, the others have figures and are on the right."""
    yield f"| {' | '.join(heads)} |"
    yield "|" + "|".join("---" if place in left else "---:" for place in range(len(heads))) + "|"
    for row in rows:
        yield f"| {' | '.join(row)} |"
