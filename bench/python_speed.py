"""Called by `python-speed` in an environment with the Python package: times trainings by turns, and compares their models."""

import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import russet
import scipy.sparse

from common import Table

# The bar: how much longer training from memory may take than the command line takes from its cache.
BAR = 1.15


def make(rows):
    """Random numbers, and classes that two of them decide together with a linear function."""
    source = np.random.default_rng(1)
    numbers = source.random((rows, 20), dtype=np.float32)
    centred = numbers - np.float32(0.5)
    scores = centred @ source.normal(size=20) + 8 * centred[:, 0] * centred[:, 1] + 0.3 * source.normal(size=rows)
    return numbers, np.where(scores > 0, 1, -1).astype(np.float32)


def write_cache(program, numbers, labels, folder):
    """The same numbers as a cache of the command line's."""
    text, cache = folder / "python-speed.svm", folder / "python-speed.cache"
    with open(text, "w", encoding="ascii") as file:
        for start in range(0, len(numbers), 10_000):
            part = zip(labels[start:start + 10_000].tolist(), numbers[start:start + 10_000].tolist())
            file.writelines(f"{label:.0f} {' '.join(f'{n}:{value!r}' for n, value in enumerate(row))}\n" for label, row in part)
    subprocess.run([program, "convert", text, "-o", cache, "--quiet"], check=True)
    text.unlink()
    return cache


def timed(work, who):
    def cpu():
        usage = resource.getrusage(who)
        return usage.ru_utime + usage.ru_stime

    wall, before = time.perf_counter(), cpu()
    result = work()
    return time.perf_counter() - wall, cpu() - before, result


def compare(expansion, program, cache, sources, labels, runs, folder):
    """For each way to train: its shortest wall and CPU times, and whether its model is the command line's."""
    model = folder / "python-speed.model"
    words = [program, "train", cache, "--expansion", expansion, "--quiet", "-o", model]
    ways = {"command line, cache": (lambda: subprocess.run(words, check=True), resource.RUSAGE_CHILDREN)}
    for name, data in sources.items():
        work = lambda data=data: russet.train(data, labels, expansion=expansion)  # noqa: E731
        ways[name] = (work, resource.RUSAGE_SELF)
    times, same = {name: [] for name in ways}, {}
    for _ in range(runs):
        for name, (work, who) in ways.items():
            wall, cpu, result = timed(work, who)
            times[name].append((wall, cpu))
            same[name] = not isinstance(result, russet.Model) or result.to_bytes() == model.read_bytes()
    return {name: (min(wall for wall, _ in each), min(cpu for _, cpu in each), same[name]) for name, each in times.items()}


def main():
    program, rows, runs, folder = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    numbers, labels = make(rows)
    cache = write_cache(program, numbers, labels, folder)
    sources = {
        "numpy, C order": numbers,
        "numpy, Fortran order": np.asfortranarray(numbers),
        "scipy CSR": scipy.sparse.csr_matrix(numbers),
    }
    well = True
    table = Table([("expansion", 9), ("from", 20), ("wall s", 7), ("CPU s", 7), ("wall ratio", 10), ("CPU ratio", 9),
                   ("same model", 10)], 2)
    for expansion in ("apple", "linear"):
        found = compare(expansion, program, cache, sources, labels, runs, folder)
        base_wall, base_cpu, _ = found["command line, cache"]
        for name, (wall, cpu, same) in found.items():
            table.row(expansion, name, f"{wall:.3f}", f"{cpu:.3f}", f"{wall / base_wall:.2f}", f"{cpu / base_cpu:.2f}",
                      "yes" if same else "NO")
            well &= same and (wall <= BAR * base_wall or name == "numpy, Fortran order")
    return well


sys.exit(0 if main() else 1)
