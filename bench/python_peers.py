"""Fits classifiers to data sets, on one core: python_peers.py [--peers] FOLDER FILES...

Called by `python-peers` in an environment with the Python package, and by `run` with --peers: then without the package, and
with a line of JSON for each fit instead of a table.
"""

import json
import os
import sys
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import lightgbm
import numpy as np
import pandas as pd
import scipy.sparse
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder

from common import Table

warnings.simplefilter("ignore")


def read(path):
    """VW text whose features are called by numbers: a sparse matrix and labels."""
    labels, columns, values, starts = [], [], [], [0]
    for line in path.read_text().splitlines():
        label, _, features = line.partition("|")
        labels.append(float(label.split()[0]))
        for feature in features.split():
            name, _, value = feature.partition(":")
            columns.append(int(name))
            values.append(float(value) if value else 1.0)
        starts.append(len(columns))
    matrix = scipy.sparse.csr_matrix((np.array(values, np.float32), np.array(columns, np.int32), starts))
    return matrix, np.array(labels, np.int8)


def census_frame(matrix, description):
    """The census as the table it once was: numbers, and strings where the matrix has 0/1 columns."""
    dense, frame = matrix.tocsc(), {}
    for column in description["columns"]:
        name = column["column"]
        if column["kind"] == "numeric":
            frame[name] = dense[:, column["index"]].toarray().ravel()
            continue
        first, words = column["first_index"], column["values"]
        block = dense[:, first:first + len(words)].toarray()
        frame[name] = np.where(block.any(axis=1), np.array(words, object)[block.argmax(axis=1)], None)
    return pd.DataFrame(frame)


def learners(is_frame, with_russet):
    """Each with its defaults, and the preparation its documentation asks for."""
    if is_frame:
        strings = make_column_selector(dtype_exclude=np.number)
        numbers = make_column_selector(dtype_include=np.number)
        prepare = lambda: make_column_transformer((OneHotEncoder(handle_unknown="ignore"), strings), (MaxAbsScaler(), numbers))  # noqa: E731
    else:
        prepare = MaxAbsScaler
    boosted = lightgbm.LGBMClassifier(n_jobs=1, verbose=-1)
    return {
        **(russet_classifier() if with_russet else {}),
        "SGDClassifier": make_pipeline(prepare(), SGDClassifier(random_state=0)),
        "LogisticRegression": make_pipeline(prepare(), LogisticRegression(max_iter=1000)),
        "LGBMClassifier": boosted,
    }


def russet_classifier():
    # Not for those who have the peers alone.
    from russet import RussetClassifier
    return {"RussetClassifier": RussetClassifier()}


class Fit(NamedTuple):
    """What a learner took on a data set, in CPU seconds, and its share of mistakes on the test part."""

    data: str
    learner: str
    fit_seconds: float
    predict_seconds: float
    test_error: float


def fits(folder, path, with_russet):
    """Fits all learners to the first 80% of a file and tests them on the rest."""
    data, labels = read(path)
    if path.stem == "census":
        data = census_frame(data, json.loads((folder / "census.json").read_text()))
    cut = len(labels) * 4 // 5
    for name, learner in learners(isinstance(data, pd.DataFrame), with_russet).items():
        rows = data
        if name == "LGBMClassifier" and isinstance(data, pd.DataFrame):
            rows = data.astype({column: "category" for column in data if data[column].dtype.kind not in "fiu"})
        began = time.process_time()
        learner.fit(rows[:cut], labels[:cut])
        fitted = time.process_time()
        error = (learner.predict(rows[cut:]) != labels[cut:]).mean()
        yield Fit(path.stem, name, fitted - began, time.process_time() - fitted, float(error))
        if name == "RussetClassifier" and path.stem == "census":
            print("  strongest products:", "; ".join(n for n in learner.model_.terms(60)["name"] if " * " in n)[:200])


def print_table(all_fits):
    table = Table([("set", 8), ("learner", 18), ("fit CPU s", 9), ("predict CPU s", 13), ("test error", 10)], 2)
    for fit in all_fits:
        table.row(fit.data, fit.learner, f"{fit.fit_seconds:.2f}", f"{fit.predict_seconds:.2f}", f"{fit.test_error:.4f}")


def print_json(all_fits):
    for fit in all_fits:
        print(json.dumps(fit._asdict()), flush=True)


def main():
    # One core for all of them, so that nobody gains by threads. On it, CPU time is what the clock would say on a quiet machine.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    peers_alone = sys.argv[1] == "--peers"
    folder, *files = map(Path, sys.argv[2 if peers_alone else 1:])
    all_fits = (fit for path in files for fit in fits(folder, path, not peers_alone))
    show = print_json if peers_alone else print_table
    show(all_fits)


if __name__ == "__main__":
    main()
