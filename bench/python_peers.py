"""Called by `python-peers` in an environment with the Python package: fits classifiers to data sets, on one core."""

import json
import os
import sys
import time
import warnings
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
import scipy.sparse
from russet import RussetClassifier
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


def learners(is_frame):
    """Each with its defaults, and the preparation its documentation asks for."""
    if is_frame:
        strings = make_column_selector(dtype_exclude=np.number)
        numbers = make_column_selector(dtype_include=np.number)
        prepare = lambda: make_column_transformer((OneHotEncoder(handle_unknown="ignore"), strings), (MaxAbsScaler(), numbers))  # noqa: E731
    else:
        prepare = MaxAbsScaler
    boosted = lightgbm.LGBMClassifier(n_jobs=1, verbose=-1)
    return {
        "RussetClassifier": RussetClassifier(),
        "SGDClassifier": make_pipeline(prepare(), SGDClassifier(random_state=0)),
        "LogisticRegression": make_pipeline(prepare(), LogisticRegression(max_iter=1000)),
        "LGBMClassifier": boosted,
    }


def main():
    # One core for all of them, so that nobody gains by threads. On it, CPU time is what the clock would say on a quiet machine.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    folder, files = Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]
    table = Table([("set", 8), ("learner", 18), ("fit CPU s", 9), ("predict CPU s", 13), ("test error", 10)], 2)
    for path in files:
        data, labels = read(path)
        if path.stem == "census":
            data = census_frame(data, json.loads((folder / "census.json").read_text()))
        cut = len(labels) * 4 // 5
        for name, learner in learners(isinstance(data, pd.DataFrame)).items():
            rows = data
            if name == "LGBMClassifier" and isinstance(data, pd.DataFrame):
                rows = data.astype({column: "category" for column in data if data[column].dtype.kind not in "fiu"})
            began = time.process_time()
            learner.fit(rows[:cut], labels[:cut])
            fitted = time.process_time()
            error = (learner.predict(rows[cut:]) != labels[cut:]).mean()
            table.row(path.stem, name, f"{fitted - began:.2f}", f"{time.process_time() - fitted:.2f}", f"{error:.4f}")
            if name == "RussetClassifier" and path.stem == "census":
                print("  strongest products:", "; ".join(n for n in learner.model_.terms(60)["name"] if " * " in n)[:200])
    return True


sys.exit(0 if main() else 1)
