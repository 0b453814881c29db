"""Estimators for scikit-learn. Parameters are the command line's flags, with their names and defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from . import _frames, _russet
from ._model import Array, Model
from ._progress import reporter
from ._settings import chosen
from ._train import _check_course, _free_name

_PARAMETERS = """
    Parameters
    ----------
    preset : None or "paper"
        With ``"paper"``, what is left at its default takes the value that the paper of 2014 has.
    expansion : "apple", "linear", "quadratic" or "cubic"
        Which products of features to learn; apple adds those that the weights point to while it trains.
    alpha, epochs, select, inherit, guard, cooling, memory
        How apple grows, and what keeps it in check.
    ngram : int
        Runs of up to this many neighbouring features are features too.
    loss : "squared", "logistic", "hinge" or "quantile"
        The loss to minimise; ``quantile`` is which quantile to predict.
    step, learning_rate, l1, l2
        How weights move, how fast, and how they are pulled towards zero.
    bits, indexing, seed
        Room for 2^bits features and as many products; beyond, weights are shared by a hash that ``seed`` picks.
    passes : int
        How often to go through the data.
    verbose : bool
        Show a bar (with tqdm) or lines on standard error.

    Attributes
    ----------
    model_ : russet.Model
        What was learned: its ``terms()``, ``explain(row)``, ``progress``, ``save(path)``.
    n_features_in_ : int
    feature_names_in_ : array of names, after a fit to a frame
"""


class _Russet(BaseEstimator):  # type: ignore[misc]
    """What both estimators share."""

    model_: Model

    def _rows(self, X: Any, reset: bool) -> Any:
        """X as the core takes it, checked as scikit-learn wants it."""
        if _is_frame(X) and (reset or hasattr(self, "feature_names_in_")):
            _check_feature_names(self, X, reset=reset)
            _check_n_features(self, X, reset=reset)
            return X
        return validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )

    def _rows_and_labels(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        if not _is_frame(X):
            rows, labels = validate_data(
                self,
                X,
                y,
                reset=reset,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                ensure_all_finite="allow-nan",
                y_numeric=isinstance(self, RegressorMixin),
            )
            return rows, labels
        rows = self._rows(X, reset)
        labels = column_or_1d(y, warn=True)
        check_consistent_length(rows, labels)
        return rows, labels

    def _learn(self, X: Any, labels: Any, names: list[str] | None, y: Any, weights: Any, more: bool) -> None:
        """A whole course, or, with ``more``, what is learned after what has been learned before."""
        passes = 1 if more else self.passes
        _check_course(passes, None)
        if weights is not None:
            weights = np.ascontiguousarray(_check_sample_weight(weights, X), dtype=np.float32)
        source = _frames.as_source(X)
        with reporter(self.verbose, None) as tell:
            if more and hasattr(self, "model_"):
                self.model_._core.learn(source, labels, weights, tell)
                return
            core = _russet.train_table(
                source, labels, weights, _free_name(X, y), {}, names, chosen(self.get_params(deep=False)), self.preset,
                None, passes, None, more, tell,
            )  # fmt: skip
        self.model_ = Model(core)

    def _scores(self, X: Any, probability: bool = False) -> Array:
        check_is_fitted(self)
        return self.model_.scores(self._rows(X, reset=False), probability=probability).astype(np.float64)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


def _is_frame(X: Any) -> bool:
    # A mapping of columns is no frame to scikit-learn.
    return _frames.is_frame(X) and not isinstance(X, Mapping)


def _has_probabilities(estimator: Any) -> bool:
    if estimator.loss in ("hinge", "quantile"):
        raise AttributeError(f"{estimator.loss} loss gives no probabilities; take squared or logistic")
    return True


class RussetClassifier(ClassifierMixin, _Russet):  # type: ignore[misc]
    classes_: Array
    __doc__ = (
        """A classifier that starts linear and grows the interactions that its own weights point to.

    Labels may be of any kind. Two classes are learned as -1 and 1, more one against the rest, each with its own expansion.
    X is an array, a sparse matrix or a frame; columns of strings and categories become features ``column=value``, and
    NaN is missing.
"""
        + _PARAMETERS
        + """    classes_ : array of the classes, sorted

    Examples
    --------
    >>> import numpy as np
    >>> from russet import RussetClassifier
    >>> X = np.random.default_rng(1).integers(0, 2, size=(3000, 4)).astype(np.float32)
    >>> y = np.where(X[:, 0] == X[:, 1], "same", "other")
    >>> classifier = RussetClassifier(passes=2).fit(X, y)
    >>> classifier.score(X, y)
    1.0
    >>> classifier.model_.terms(top=1)["name"][0]
    '1 * 0'
    """
    )

    def __init__(
        self,
        *,
        preset: str | None = None,
        expansion: str = "apple",
        alpha: float = 1.0,
        epochs: int = 6,
        select: str = "weight",
        inherit: float = 0.05,
        guard: str = "linear",
        cooling: float = 0.25,
        memory: int = 16,
        ngram: int = 1,
        loss: str = "squared",
        quantile: float = 0.5,
        step: str = "adaptive",
        learning_rate: float = 0.5,
        l1: float = 0.0,
        l2: float = 0.0,
        bits: int = 18,
        indexing: str = "interned",
        seed: int = 0,
        passes: int = 1,
        verbose: bool = False,
    ) -> None:
        self.preset = preset
        self.expansion = expansion
        self.alpha = alpha
        self.epochs = epochs
        self.select = select
        self.inherit = inherit
        self.guard = guard
        self.cooling = cooling
        self.memory = memory
        self.ngram = ngram
        self.loss = loss
        self.quantile = quantile
        self.step = step
        self.learning_rate = learning_rate
        self.l1 = l1
        self.l2 = l2
        self.bits = bits
        self.indexing = indexing
        self.seed = seed
        self.passes = passes
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RussetClassifier:
        """Learns from X and y; what was learned before is forgotten."""
        rows, labels = self._rows_and_labels(X, y, reset=True)
        check_classification_targets(labels)
        self.classes_, places = np.unique(labels, return_inverse=True)
        self._learn(rows, self._numbered(places), self._names(), y, sample_weight, more=False)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> RussetClassifier:
        """Goes on learning. The first call needs all classes that will come."""
        first = not hasattr(self, "model_")
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        rows, labels = self._rows_and_labels(X, y, reset=first)
        check_classification_targets(labels)
        if first:
            self.classes_ = np.unique(np.asarray(classes))
        elif classes is not None and not np.array_equal(self.classes_, np.unique(np.asarray(classes))):
            raise ValueError(f"classes={classes} is not the same as on the first call to partial_fit: {self.classes_}")
        places = np.searchsorted(self.classes_, labels)
        known = places < len(self.classes_)
        known[known] = self.classes_[places[known]] == labels[known]
        if not known.all():
            raise ValueError(f"y has the label {labels[~known][0]}, which is not among the classes {self.classes_}")
        self._learn(rows, self._numbered(places), self._names(), y, sample_weight, more=True)
        return self

    def _numbered(self, places: Array) -> Array:
        numbers = places.astype(np.float32)
        return 2 * numbers - 1 if len(self.classes_) <= 2 else numbers

    def _names(self) -> list[str] | None:
        return [str(name) for name in self.classes_.tolist()] if len(self.classes_) > 1 else None

    def decision_function(self, X: Any) -> Array:
        """How much each row belongs to the second class or, of several, to each."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> Array:
        """The class of each row."""
        scores = self._scores(X)
        if scores.shape[1] > 1:
            return np.asarray(self.classes_[scores.argmax(axis=1)])
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, len(scores))
        chosen: Array = self.classes_[(scores[:, 0] > 0).astype(int)]
        return chosen

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """The probability of each class for each row; of several classes, each model's own, divided by their sum."""
        shares = self._scores(X, probability=True)
        if shares.shape[1] > 1:
            return np.asarray(shares / shares.sum(axis=1, keepdims=True))
        if len(self.classes_) == 1:
            return np.ones_like(shares)
        return np.hstack([1 - shares, shares])


class RussetRegressor(RegressorMixin, _Russet):  # type: ignore[misc]
    __doc__ = (
        """A regressor that starts linear and grows the interactions that its own weights point to.

    X is an array, a sparse matrix or a frame; columns of strings and categories become features ``column=value``, and
    NaN is missing. Predictions stay within the range that labels have had. Steps do not grow with the labels: those that span
    more than a few units need a ``learning_rate`` of about half their span.
"""
        + _PARAMETERS
        + """
    Examples
    --------
    >>> import numpy as np
    >>> from russet import RussetRegressor
    >>> X = np.random.default_rng(1).random((5000, 3)).astype(np.float32)
    >>> y = 2 * X[:, 0] * X[:, 1] - X[:, 2]
    >>> RussetRegressor(passes=3).fit(X, y).score(X, y) > 0.95
    True
    """
    )

    def __init__(
        self,
        *,
        preset: str | None = None,
        expansion: str = "apple",
        alpha: float = 1.0,
        epochs: int = 6,
        select: str = "weight",
        inherit: float = 0.05,
        guard: str = "linear",
        cooling: float = 0.25,
        memory: int = 16,
        ngram: int = 1,
        loss: str = "squared",
        quantile: float = 0.5,
        step: str = "adaptive",
        learning_rate: float = 0.5,
        l1: float = 0.0,
        l2: float = 0.0,
        bits: int = 18,
        indexing: str = "interned",
        seed: int = 0,
        passes: int = 1,
        verbose: bool = False,
    ) -> None:
        self.preset = preset
        self.expansion = expansion
        self.alpha = alpha
        self.epochs = epochs
        self.select = select
        self.inherit = inherit
        self.guard = guard
        self.cooling = cooling
        self.memory = memory
        self.ngram = ngram
        self.loss = loss
        self.quantile = quantile
        self.step = step
        self.learning_rate = learning_rate
        self.l1 = l1
        self.l2 = l2
        self.bits = bits
        self.indexing = indexing
        self.seed = seed
        self.passes = passes
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RussetRegressor:
        """Learns from X and y; what was learned before is forgotten."""
        rows, labels = self._rows_and_labels(X, y, reset=True)
        self._learn(rows, np.ascontiguousarray(labels, dtype=np.float32), None, y, sample_weight, more=False)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> RussetRegressor:
        """Goes on learning."""
        rows, labels = self._rows_and_labels(X, y, reset=not hasattr(self, "model_"))
        self._learn(rows, np.ascontiguousarray(labels, dtype=np.float32), None, y, sample_weight, more=True)
        return self

    def predict(self, X: Any) -> Array:
        """The number predicted for each row."""
        return self._scores(X)[:, 0]
