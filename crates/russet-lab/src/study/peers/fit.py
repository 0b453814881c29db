"""Fits LightGBM or scikit-learn's SGD once for a study and prints one JSON line.

Usage: fit.py --program lightgbm|sklearn --task TASK --train FILE [--test FILE]

Files are svmlight. Seconds are those to read the text and to fit, as a user's script would take them; Python's start and
imports are not counted. LightGBM has its defaults, 100 rounds. SGD has its defaults behind the scaler that
scikit-learn's guide names for the data: without one it diverges on numeric columns.
"""

import argparse
import json
import resource
import time
import warnings

from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.metrics import mean_squared_error, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler


def main():
    arguments = parse_arguments()
    warnings.filterwarnings("ignore")
    fit = fit_lightgbm(arguments.task) if arguments.program == "lightgbm" else fit_sgd(arguments.task)
    width = feature_count(arguments)
    cpu, wall = cpu_seconds(), time.perf_counter()
    features, labels = load_svmlight_file(arguments.train, n_features=width)
    score = fit(features, labels)
    report = {
        "seconds": time.perf_counter() - wall,
        "cpu_seconds": cpu_seconds() - cpu,
        "peak_memory_bytes": peak_memory(),
    }
    if arguments.test:
        features, labels = load_svmlight_file(arguments.test, n_features=width)
        report |= errors(arguments.task, labels, score(features))
    print(json.dumps(report))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", choices=["lightgbm", "sklearn"], required=True)
    parser.add_argument("--task", choices=["classification", "regression"], required=True)
    parser.add_argument("--train", required=True)
    parser.add_argument("--test")
    return parser.parse_args()


def feature_count(arguments):
    """The matrix of the test part must be as wide as that of the other."""
    if not arguments.test:
        return None
    return max(load_svmlight_file(path)[0].shape[1] for path in (arguments.train, arguments.test))


def fit_lightgbm(task):
    import lightgbm

    objective = "binary" if task == "classification" else "regression"

    def fit(features, labels):
        data = lightgbm.Dataset(features, (labels > 0).astype(int) if task == "classification" else labels)
        booster = lightgbm.train({"objective": objective, "verbosity": -1}, data, num_boost_round=100)
        return lambda features: booster.predict(features, raw_score=True)

    return fit


def fit_sgd(task):
    def fit(features, labels):
        learner = SGDClassifier(random_state=0) if task == "classification" else SGDRegressor(random_state=0)
        dense = features.nnz > features.shape[0] * features.shape[1] / 2
        pipeline = make_pipeline(StandardScaler() if dense else MaxAbsScaler(), learner)
        pipeline.fit(features.toarray() if dense else features, labels)
        score = pipeline.decision_function if task == "classification" else pipeline.predict
        return lambda features: score(features.toarray() if dense else features)

    return fit


def errors(task, labels, scores):
    if task == "regression":
        return {"test_error": float(mean_squared_error(labels, scores))}
    two_classes = labels.min() != labels.max()
    return {
        "test_error": float(((scores > 0) != (labels > 0)).mean()),
        "auc": float(roc_auc_score(labels > 0, scores)) if two_classes else None,
    }


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak_memory():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


if __name__ == "__main__":
    main()
