"""Training on files, frames, arrays and sparse matrices."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _frames, _russet
from ._errors import DataError, SettingsError
from ._model import Model
from ._progress import Callback, reporter
from ._settings import check_resumed, chosen


def train(
    data: Any,
    label: Any = None,
    *,
    weight: Any = None,
    classes: Sequence[str] | None = None,
    numeric: Sequence[str] = (),
    categorical: Sequence[str] = (),
    ignore: Sequence[str] = (),
    format: str | None = None,
    on_error: str = "stop",
    readers: int | None = None,
    passes: int = 1,
    examples: int | None = None,
    resume: Model | str | os.PathLike[str] | None = None,
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
    verbose: bool = False,
    callback: Callback | None = None,
) -> Model:
    """Learns a model, as ``russet train`` does: the same data and settings give the same model, bit for bit.

    Data:
        data: A path, a pattern or a list of them (VW text, svmlight, CSV or a cache, plain, gzip or zstd); a pandas or polars frame
            or anything with Arrow's C stream interface; a mapping of names to columns; a numpy array; a sparse matrix.
            Columns of strings and categories become features ``column=value``; NaN and null are missing. The columns of
            arrays are called by their numbers, from 0.
        label: The column to predict or, beside a frame, an array or a matrix, the labels themselves. Numbers are
            predicted as such, unless they are -1 and 1 or 0 and 1; names are classes, and more than two of them are learned one
            against the rest.
        weight: The column, or the values, that say how many examples a row counts for.
        classes: The names in the label column, the negative class first; default: in alphabetical order.
        numeric, categorical, ignore: Columns of numbers, of names and to be left out, whatever they look like.
        format, on_error, readers: For files: the format, what to do with a faulty line (``"stop"`` or ``"skip"``), and
            the number of threads that parse.

    Course:
        passes: How often to go through the data.
        examples: How many examples the whole course has; default: counted.
        resume: A model, or its file, to go on with; it stays as it is.
        verbose: Show a bar (with tqdm) or lines on standard error.
        callback: Called now and then with a :class:`russet.Progress`; an exception in it ends the training.

    Learning: the flags of the command line, with their defaults. With ``preset="paper"``, what is left at its default takes the
        value that the paper of 2014 has.

    >>> import russet
    >>> frame = {"left": [0, 0, 1, 1] * 200, "right": [0, 1, 0, 1] * 200, "same": ["yes", "no", "no", "yes"] * 200}
    >>> model = russet.train(frame, "same", passes=3)
    >>> model.classes
    ['no', 'yes']
    >>> (model.predict({"left": [0, 1], "right": [1, 1]}) > 0).tolist()
    [False, True]
    """
    given = locals()
    settings = chosen(given)
    _check_course(passes, examples)
    core = _resumed(resume)
    if core is not None:
        check_resumed(settings, core.settings)
    options: dict[str, Any] = {
        "classes": None if classes is None else list(classes),
        "numeric": list(numeric),
        "categorical": list(categorical),
        "ignore": list(ignore),
    }
    paths = _frames.as_paths(data)
    with reporter(verbose, callback) as tell:
        if paths is not None:
            options |= {"label": _word("label", label), "weight": _word("weight", weight)}
            options |= {"format": format, "on_error": on_error, "readers": readers}
            return Model(_russet.train_files(paths, options, settings, preset, core, passes, examples, tell))
        _only_for_files(format, on_error, readers)
        source = _frames.as_source(data)
        labels, weights, options, names = _beside(data, label, weight, options, core)
        beside = None if labels is None else _free_name(data, label)
        trained = _russet.train_table(
            source, labels, weights, beside, options, names, settings, preset, core, passes, examples, False, tell
        )
    return Model(trained)


def _check_course(passes: int, examples: int | None) -> None:
    if passes < 1:
        raise SettingsError(f"passes is {passes}; it must be 1 or more")
    if examples is not None and examples < 1:
        raise SettingsError(f"examples is {examples}; it must be 1 or more")


def _resumed(resume: Model | str | os.PathLike[str] | None) -> _russet.Models | None:
    if resume is None:
        return None
    return (resume if isinstance(resume, Model) else Model.load(resume))._core


def _word(name: str, value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"{name} is {type(value).__name__}; for files it must be the name of a column")


def _only_for_files(format: str | None, on_error: str, readers: int | None) -> None:
    for name, given in (("format", format is not None), ("on_error", on_error != "stop"), ("readers", readers is not None)):
        if given:
            raise SettingsError(f"{name} is for files")


def _beside(
    data: Any, label: Any, weight: Any, options: dict[str, Any], core: _russet.Models | None
) -> tuple[Any, Any, dict[str, Any], list[str] | None]:
    """Labels and weights that come beside the data; those that are columns stay names."""
    if isinstance(weight, str):
        options["weight"], weight = weight, None
    weights = None if weight is None else _frames.as_floats(weight)
    if isinstance(label, str):
        if not _frames.is_frame(data):
            raise DataError("an array has no named columns; give the labels themselves as label=")
        return None, weights, options | {"label": label}, None
    if label is None:
        if _frames.is_frame(data) and core is not None:
            return None, weights, options, None
        columns = _frames.column_names(data) if _frames.is_frame(data) else []
        usual = next((name for name in ("label", "target", "y") if name in columns), None)
        if usual is None and not columns:
            raise DataError("there are no labels; give them as label=")
        return None, weights, options | {"label": usual}, None
    names = options.pop("classes") or (core.classes or None if core is not None else None)
    labels, names = encode(label, names)
    return labels, weights, options, names


def encode(label: Any, names: Sequence[str] | None) -> tuple[Any, list[str] | None]:
    """Labels as the core takes them: numbers as they are; of two names -1 and 1; of more, their numbers."""
    values = _frames.as_values(label)
    if names is None and values.dtype.kind in "fiub":
        return _frames.as_floats(values), None
    words = np.array([str(word) for word in values.tolist()])
    known, places = np.unique(words, return_inverse=True)
    names = known.tolist() if names is None else [str(name) for name in names]
    numbers = {name: number for number, name in enumerate(names)}
    unknown = next((word for word in known.tolist() if word not in numbers), None)
    if unknown is not None:
        raise DataError(f"the label is `{unknown}`; expected one of {', '.join(names)}")
    if len(names) < 2:
        raise DataError(f"the labels have only one name, `{names[0] if names else ''}`; name all with classes=")
    order = np.array([numbers[word] for word in known.tolist()], dtype=np.float32)[places]
    return np.ascontiguousarray(2 * order - 1 if len(names) == 2 else order, dtype=np.float32), names


def _free_name(data: Any, label: Any) -> str:
    """What labels beside a frame are called in the model: no column has the same name."""
    name = getattr(label, "name", None)
    name = name if isinstance(name, str) and name else "label"
    columns = _frames.column_names(data) if _frames.is_frame(data) else []
    while name in columns:
        name += "_"
    return name
