"""The data sets that times are taken on, as files of VW text in the work folder.

Most are shared sets, unpacked. One is made here, and two come from the project's own data: these stand in where the shared
sets are missing.
"""

import itertools
import math
import os
import random
import shutil
import sys

from common import REPOSITORY, WORK, BenchError, partial_path, run

NUMERIC_EXAMPLES = 200_000
NUMERIC_FEATURES = 30

# How many lines are taken of files that VW would need minutes for.
BEGINNING = 40_000


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


def beginning(data):
    """The first lines of a file, as a file of its own."""
    target = data.with_name(f"{data.stem}-{BEGINNING // 1000}k.vw")
    partial = partial_path(target)
    with open(data, encoding="utf-8") as source, open(partial, "w", encoding="utf-8") as file:
        file.writelines(itertools.islice(source, BEGINNING))
    os.replace(partial, target)
    return target


def own_file(arguments, name, source, *flags):
    """A set of the project's own, converted to VW text."""
    target = WORK / f"{name}.vw"
    partial = partial_path(target)
    run([arguments.russet, "convert", REPOSITORY / "data" / source, *flags, "-o", partial, "--quiet"])
    os.replace(partial, target)
    return target


def unpacked(name):
    return lambda arguments: decompress(arguments, name)


# For each data set, how to make its file.
SHARED = {
    "covtype": unpacked("covtype"),
    "census": unpacked("census"),
    "activity": unpacked("activity"),
    "letter": unpacked("letter"),
    "bio-40k": lambda arguments: beginning(decompress(arguments, "bio")),
    "20news": unpacked("20news"),
    "rcv1": unpacked("rcv1"),
    "criteo": unpacked("criteo"),
}
MADE = {
    "numeric30": lambda _: numeric_file(),
    "numeric30-40k": lambda _: beginning(numeric_file()),
}
STAND_INS = {
    "cal_housing": lambda arguments: own_file(arguments, "cal_housing", "cal_housing.csv", "--label", "median_house_value"),
    "a9a-sample": lambda arguments: own_file(arguments, "a9a-sample", "a9a-sample.vw.zst"),
}
FILES = SHARED | MADE | STAND_INS


def available(arguments, names):
    """Of some sets those that can be had; stand-ins only where all shared data is missing."""
    if arguments.data.is_dir():
        return [name for name in names if name in MADE or name in SHARED and shared_file(arguments, name).is_file()]
    return [name for name in names if name not in SHARED]


def shared_file(arguments, name):
    return arguments.data / f"{name.removesuffix('-40k')}.vw.zst"
