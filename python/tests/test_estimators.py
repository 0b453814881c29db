"""The estimators among scikit-learn's."""

import inspect
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import russet
from russet import RussetClassifier, RussetRegressor, _russet

# Learning online, an example is learned from where it stands: one that counts twice is not the same as two that stand
# apart, and the check shuffles them. Nor does one that counts nothing vanish: it still takes its place in the course, over which the
# epochs are spaced. scikit-learn's own SGD estimators fail these two checks for the same reason.
ONLINE = "an example that counts twice is one longer step, not two that stand apart"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": ONLINE,
    "check_sample_weight_equivalence_on_sparse_data": ONLINE,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [RussetClassifier(), RussetRegressor(), RussetClassifier(loss="logistic")], ids=repr)
def test_scikit_learns_checks(estimator):
    results = check_estimator(estimator, expected_failed_checks=EXPECTED, on_skip=None)
    assert len(results) > 40
    assert {result["check_name"] for result in results if result["status"] == "xfail"} == set(EXPECTED)


@pytest.mark.parametrize("function", [russet.train, RussetClassifier, RussetRegressor])
def test_defaults_are_those_of_the_core(function):
    found = {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}
    wanted = {name: value for name, value in _russet.defaults().items() if name != "headroom"}
    assert len(wanted) == 18
    assert {name: found[name] for name in wanted} == wanted
    assert {name: type(found[name]) for name in wanted} == {name: type(value) for name, value in wanted.items()}


def test_digits_of_ten_classes():
    X, y = load_digits(return_X_y=True)
    X = (X / 16).astype(np.float32)
    classifier = RussetClassifier(passes=4, loss="logistic").fit(X[:1200], y[:1200])
    assert classifier.score(X[1200:], y[1200:]) > 0.9
    assert classifier.decision_function(X[:5]).shape == (5, 10)
    assert np.allclose(classifier.predict_proba(X).sum(axis=1), 1)
    assert list(classifier.classes_) == list(range(10)) and classifier.n_features_in_ == 64
    assert np.array_equal(pickle.loads(pickle.dumps(classifier)).decision_function(X), classifier.decision_function(X))


@pytest.mark.parametrize("frame", [lambda titanic: titanic, pl.from_pandas], ids=["pandas", "polars"])
def test_frames_with_strings_go_in_as_they_are(titanic, frame):
    X, y = frame(titanic.drop(columns="survived")), titanic["survived"]
    classifier = RussetClassifier().fit(X, y)
    assert list(classifier.feature_names_in_) == ["class", "age", "sex"] and list(classifier.classes_) == ["no", "yes"]
    assert classifier.score(X, y) > 0.77
    assert "sex=female" in set(classifier.model_.terms()["name"])


def test_grid_search_pipelines_and_clones(titanic):
    X, y = titanic.drop(columns="survived"), titanic["survived"]
    search = GridSearchCV(RussetClassifier(), {"learning_rate": [0.05, 0.5], "expansion": ["linear", "apple"]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.75 and set(search.best_params_) == {"learning_rate", "expansion"}
    numbers = np.random.default_rng(1).normal(size=(2000, 4)) * [1, 10, 100, 1000]
    target = np.sign(numbers[:, 0] * numbers[:, 1])
    pipeline = make_pipeline(StandardScaler(), RussetClassifier(passes=3))
    assert cross_val_score(pipeline, numbers, target, cv=3).min() > 0.9
    twin = clone(RussetClassifier(alpha=0.5, loss="hinge"))
    assert (twin.alpha, twin.loss) == (0.5, "hinge")


def test_partial_fit_is_one_course_of_unknown_length():
    source = np.random.default_rng(2)
    X = source.random((6000, 5)).astype(np.float32)
    y = (X[:, 0] > X[:, 1]).astype(int)
    parts = RussetClassifier()
    for start in range(0, 6000, 1000):
        parts.partial_fit(X[start : start + 1000], y[start : start + 1000], classes=[0, 1])
    whole = RussetClassifier().partial_fit(X, y, classes=[0, 1])
    assert parts.model_.to_bytes() == whole.model_.to_bytes() and parts.model_.examples == 6000
    assert parts.model_.parents > 0
    with pytest.raises(ValueError, match="which is not among the classes"):
        parts.partial_fit(X[:2], [0, 7])


def test_partial_fit_of_frames_and_of_what_is_wrong(titanic):
    X, y = titanic.drop(columns="survived"), titanic["survived"]
    classifier = RussetClassifier().partial_fit(X[:500], y[:500], classes=["no", "yes"]).partial_fit(X[500:], y[500:])
    before = classifier.model_.to_bytes()
    with pytest.raises(ValueError):
        classifier.partial_fit(X, y, sample_weight=-np.ones(len(X)))
    assert classifier.model_.examples == 2201 and classifier.model_.to_bytes() == before


def test_weights_and_sparse_data():
    X = sp.random(3000, 50, density=0.1, random_state=1, format="csr", dtype=np.float32)
    y = np.asarray(X[:, 0].todense()).ravel() + np.asarray(X[:, 1].todense()).ravel() > 0.1
    plain, weighted = RussetClassifier().fit(X, y), RussetClassifier().fit(X, y, sample_weight=np.where(y, 20.0, 1.0))
    assert weighted.predict(X).mean() > plain.predict(X).mean()
    assert plain.score(X, y) > 0.9


def test_hinge_loss_has_no_probabilities():
    assert not hasattr(RussetClassifier(loss="hinge"), "predict_proba")
    assert hasattr(RussetClassifier(), "predict_proba")


def test_an_array_may_be_predicted_after_a_frame():
    X = pd.DataFrame({"a": [1.0, 2, 3, 4] * 50, "b": [4.0, 3, 2, 1] * 50})
    y = [0, 0, 1, 1] * 50
    classifier = RussetClassifier().fit(X, y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        scores = classifier.decision_function(X.to_numpy())
    assert np.array_equal(scores, classifier.decision_function(X))
