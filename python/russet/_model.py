"""Models: what has been learned, and what can be done with it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _frames, _plots, _russet
from ._errors import DataError, ModelError
from ._tables import as_table

_TERM_COLUMNS = ("name", "weight", "effect", "degree", "epoch", "active")
_POINT_COLUMNS = ("examples", "loss", "loss_since", "error", "features", "seconds")
_PART_COLUMNS = ("kind", "name", "contribution", "value", "weight")

Array = np.ndarray[Any, Any]


class Model:
    """A model that :func:`russet.train` has learned or :meth:`load` has read.

    Its file is that of the command line: each reads what the other has written.

    >>> import numpy as np, russet
    >>> numbers = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 500, dtype=np.float32)
    >>> model = russet.train(numbers, numbers[:, 0] * numbers[:, 1], passes=3)
    >>> np.round(model.predict(numbers[:4]), 1).tolist()
    [0.0, 0.0, 0.0, 1.0]
    """

    __slots__ = ("_core", "_earlier")

    def __init__(self, core: _russet.Models, earlier: Sequence[tuple[Any, ...]] = ()) -> None:
        self._core = core
        self._earlier = tuple(earlier)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Model:
        """Reads a model from its file.

        >>> Model.load("no-such-file")
        Traceback (most recent call last):
        FileNotFoundError: no-such-file: no such file
        """
        return Model(_russet.Models.load(os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a file, all of it or nothing."""
        self._core.save(os.fspath(path))

    def to_bytes(self) -> bytes:
        """The content of its file."""
        return self._core.to_bytes()

    @staticmethod
    def from_bytes(content: bytes) -> Model:
        """The model that :meth:`to_bytes` gave the content of."""
        return Model(_russet.Models.from_bytes(content))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (self.to_bytes(), self._points()))

    def __repr__(self) -> str:
        shown = f"{self.task}, {self.examples:,} examples, {self.feature_count:,} features, {self.weight_count:,} weights"
        return f"<russet.Model: {shown}>"

    def predict(self, data: Any, *, probability: bool = False, **reading: Any) -> Array:
        """Predicts every row, as ``russet predict`` does.

        The result has one number for each row: the predicted number or, for two classes, the margin (above 0 or, with
        labels 0 and 1, above 0.5: the second class). With more than two classes it has their names.
        With ``probability`` it has the probability of the second class, or a column for each of several classes.

        ``data`` is a path or several, a frame, an array or a sparse matrix; ``reading`` is ``format``, ``on_error`` or
        ``readers`` for files, as in :func:`russet.train`.

        >>> import russet
        >>> frame = {"sky": ["blue", "grey", "white"] * 40, "fall": ["none", "rain", "snow"] * 40}
        >>> model = russet.train(frame, "fall")
        >>> model.predict({"sky": ["white", "blue"]}).tolist()
        ['snow', 'none']
        """
        if probability and (self.task != "classification" or self.settings["loss"] == "hinge"):
            raise DataError("probabilities need a model of classes, not trained with hinge loss")
        values = self.scores(data, probability=probability, **reading)
        if values.shape[1] == 1:
            return values[:, 0]
        if probability:
            return values
        chosen: Array = np.array(self.classes)[values.argmax(axis=1)]
        return chosen

    def scores(self, data: Any, *, probability: bool = False, **reading: Any) -> Array:
        """What the model predicts for each row, in a column; of several classes each has a model and a column."""
        paths = _frames.as_paths(data)
        if paths is not None:
            return _russet.predict_files(self._core, paths, reading, probability)
        if reading:
            raise TypeError(f"{next(iter(reading))} is for files")
        return _russet.predict(self._core, _frames.as_source(data), probability)

    def evaluate(self, data: Any, label: Any = None, *, weight: Any = None, **reading: Any) -> dict[str, Any]:
        """How well labelled data is predicted: error, loss, log loss, AUC and so on, ``None`` where one does not apply.

        Without ``label``, data is a path or a frame that has the label's column, as in training. Otherwise ``label`` are
        the labels of the rows: names of classes, or numbers.

        >>> import numpy as np, russet
        >>> numbers = np.random.default_rng(1).normal(size=(1000, 3))
        >>> model = russet.train(numbers, np.sign(numbers[:, 0]))
        >>> model.evaluate(numbers, np.sign(numbers[:, 0]))["error"] < 0.05
        True
        """
        paths = _frames.as_paths(data)
        if paths is not None:
            if label is not None or weight is not None:
                raise TypeError("label and weight of files are those that the model was trained with")
            return _russet.evaluate_files(self._core, paths, reading)
        labels = None if label is None else self._label_numbers(label)
        weights = None if weight is None else _frames.as_floats(weight)
        return _russet.evaluate(self._core, _frames.as_source(data), labels, weights)

    def _label_numbers(self, label: Any) -> Array:
        values = _frames.as_values(label)
        if values.dtype.kind in "fiub":
            return _frames.as_floats(values)
        numbers = {name: number for number, name in enumerate(self.classes)}
        unknown = next((word for word in values if str(word) not in numbers), None)
        if unknown is not None:
            raise DataError(f"the label is `{unknown}`; expected one of {', '.join(numbers) or 'the numbers it was trained with'}")
        places = np.array([numbers[str(word)] for word in values], dtype=np.float32)
        return 2 * places - 1 if len(numbers) == 2 else places

    def terms(self, top: int | None = None) -> Any:
        """What has been learned, by name: a data frame, the strongest term first.

        Columns: ``name``; ``weight``; ``effect``, the weight on the feature's own scale; ``degree``, how many features are
        multiplied; ``epoch`` that it came in with; ``active``, in which share of the examples it was active. More than
        two classes have a column ``class`` too. It is a pandas frame if pandas is there, else one of polars, else
        a dictionary of lists.

        >>> import russet
        >>> frame = {"sky": ["blue", "grey"] * 50, "wind": ["calm", "calm", "storm", "storm"] * 25, "rain": [-1, 1] * 50}
        >>> russet.train(frame, "rain").terms(top=2)["name"].tolist()
        ['sky=blue', 'sky=grey']
        """
        rows = self._term_rows(top)
        if self._core.classes and len(self._core.classes) > 2:
            return as_table(("class", *_TERM_COLUMNS), rows)
        return as_table(_TERM_COLUMNS, (row[1:] for row in rows))

    def _term_rows(self, top: int | None) -> list[tuple[Any, ...]]:
        if top is not None and top < 0:
            raise ValueError(f"top is {top}; it must be 0 or more")
        return self._core.terms(self.weight_count if top is None else top)

    def explain(self, row: Any, *, top: int | None = None, of_class: str | None = None) -> Any:
        """What made the prediction for one row: a data frame of parts whose contributions add up to it exactly.

        ``row`` is a mapping of names to values, a frame of one row, or its numbers. With ``top``, at most that many
        terms are listed one by one. Of several classes, the parts are those of the predicted one, or of ``of_class``.

        >>> import russet
        >>> frame = {"sky": ["blue", "grey"] * 50, "rain": [-1, 1] * 50}
        >>> parts = russet.train(frame, "rain").explain({"sky": "grey"})
        >>> parts["name"].tolist()[0]
        'sky=grey'
        """
        _, _, parts = _russet.explain(self._core, _frames.as_row(row), of_class, top)
        return as_table(_PART_COLUMNS, parts)

    @property
    def progress(self) -> Any:
        """The curve of progressive validation: every example is predicted before it is learned from.

        A data frame with the columns ``examples``, ``loss``, ``loss_since`` (the point before), ``error``, ``features`` (an
        example) and ``seconds``. A file holds the last point only.
        """
        return as_table(_POINT_COLUMNS, self._points())

    def _points(self) -> list[tuple[Any, ...]]:
        points = [*self._earlier, *self._core.points]
        if points:
            return points
        examples, loss, error, features = self._core.standing[:4]
        return [(examples, loss, None, error, features, None)]

    def plot_terms(self, top: int = 20, ax: Any = None) -> Any:
        """Draws the strongest terms as bars, on matplotlib axes; gives these. Needs matplotlib."""
        return _plots.plot_terms(self, top, ax)

    def plot_progress(self, ax: Any = None) -> Any:
        """Draws the progressive error over the examples, on matplotlib axes; gives these. Needs matplotlib."""
        return _plots.plot_progress(self, ax)

    @property
    def settings(self) -> dict[str, Any]:
        """What it was trained with."""
        return self._core.settings

    @property
    def task(self) -> str:
        """``"classification"`` or ``"regression"``."""
        return "classification" if self._core.is_classification else "regression"

    @property
    def classes(self) -> list[str]:
        """The names of the classes, if labels had names."""
        return self._core.classes

    @property
    def columns(self) -> list[str]:
        """The columns it was trained with, if its data was a table."""
        return self._core.columns

    @property
    def examples(self) -> int:
        """How many examples it has learned from."""
        return self._core.standing[0]

    @property
    def progressive_loss(self) -> float | None:
        """The mean loss of predictions made before learning from each example; of several classes, the sum of theirs."""
        return self._core.standing[1]

    @property
    def progressive_error(self) -> float | None:
        """The share of mistakes, or the mean squared error, of predictions made before learning from each example."""
        return self._core.standing[2]

    @property
    def parents(self) -> int | None:
        """How many monomials have offspring, if the feature set grows."""
        return self._core.standing[4]

    @property
    def max_degree(self) -> int:
        """The highest degree of a product in the feature set."""
        return self._core.standing[5]

    @property
    def feature_count(self) -> int:
        """How many base features it knows."""
        return self._core.standing[6]

    @property
    def weight_count(self) -> int:
        """How many weights examples have touched."""
        return self._core.standing[7]


def _restored(content: bytes, points: Sequence[tuple[Any, ...]]) -> Model:
    return Model(_russet.Models.from_bytes(content), points)


__all__ = ["Model", "ModelError"]
