"""Python's many kinds of tables, as the native part takes them. Nothing is imported that the caller has not."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ._errors import DataError

#: ("dense", array), ("sparse", indptr, indices, data), ("columns", [...]) or ("arrow", capsule)
Source = tuple[Any, ...]


def as_paths(data: Any) -> list[str] | None:
    """The paths that data names, if it does."""
    if isinstance(data, (str, os.PathLike)):
        return [os.fspath(data)]
    if isinstance(data, (list, tuple)) and data and all(isinstance(item, (str, os.PathLike)) for item in data):
        return [os.fspath(item) for item in data]
    return None


def is_pandas(data: Any, kind: str = "DataFrame") -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, getattr(pandas, kind))


def is_frame(data: Any) -> bool:
    """True for tables whose columns have names."""
    # One kind of sparse matrix is a mapping, too.
    return is_pandas(data) or hasattr(data, "__arrow_c_stream__") or (isinstance(data, Mapping) and not is_sparse(data))


def is_sparse(data: Any) -> bool:
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(data))


def as_source(data: Any) -> Source:
    """Data as the native part takes it, without a copy where its memory can be used as it is."""
    if is_pandas(data):
        return ("columns", [_pandas_column(str(name), data.iloc[:, place]) for place, name in enumerate(data.columns)])
    if is_sparse(data):
        return _sparse(data)
    if isinstance(data, Mapping):
        return ("columns", [_plain_column(str(name), values) for name, values in data.items()])
    if hasattr(data, "__arrow_c_stream__"):
        return ("arrow", data.__arrow_c_stream__())
    return ("dense", _numbers(data, 2))


def as_row(row: Any) -> Source:
    """One example: a mapping of names to values, a frame of one row, or its numbers."""
    if is_pandas(row, "Series") or (isinstance(row, Mapping) and not is_sparse(row)):
        return as_source({name: [value] for name, value in row.items()})
    if is_frame(row) or is_sparse(row):
        return as_source(row)
    array = np.asarray(row)
    return as_source(array.reshape(1, -1) if array.ndim == 1 else array)


def column_names(data: Any) -> list[str]:
    if isinstance(data, Mapping):
        return [str(name) for name in data]
    names = getattr(data, "column_names", None)
    return [str(name) for name in (names if names is not None else data.columns)]


def as_values(values: Any) -> np.ndarray[Any, Any]:
    """Labels or weights as an array of one dimension."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"there are {array.ndim} dimensions of labels or weights; expected one")
    return array


def as_floats(values: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.ascontiguousarray(as_values(values), dtype=np.float32)


def _numbers(data: Any, dimensions: int) -> np.ndarray[Any, Any]:
    array = np.asarray(data)
    if array.ndim != dimensions:
        raise DataError(f"the array has {array.ndim} dimensions; expected {dimensions}")
    if array.dtype not in (np.float32, np.float64):
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(f"the array holds {array.dtype}, which are no numbers; put names into a frame: {error}") from None
    usable = array.dtype.isnative and array.flags.aligned
    return array if usable else np.array(array, dtype=array.dtype.newbyteorder("="))


def _sparse(matrix: Any) -> Source:
    rows = matrix.tocsr()
    values = rows.data if rows.data.dtype in (np.float32, np.float64) else rows.data.astype(np.float64)
    places = [part if part.dtype in (np.int32, np.int64) else part.astype(np.int64) for part in (rows.indptr, rows.indices)]
    return ("sparse", *(np.ascontiguousarray(part) for part in (*places, values)))


def _pandas_column(name: str, column: Any) -> tuple[Any, ...]:
    pandas = sys.modules["pandas"]
    if isinstance(column.dtype, pandas.CategoricalDtype):
        return (name, "categories", column.cat.codes.to_numpy().astype(np.int32), [str(word) for word in column.cat.categories])
    if column.dtype == object:
        column = column.infer_objects()
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "fiub":
        return _array_column(name, column.to_numpy())
    if pandas.api.types.is_numeric_dtype(column.dtype):
        return _array_column(name, column.to_numpy(dtype=np.float64, na_value=np.nan))
    if pandas.api.types.is_string_dtype(column.dtype) or column.dtype == object:
        codes, words = pandas.factorize(column)
        return _named(name, codes.astype(np.int32), words)
    return (name, "other", len(column), str(column.dtype))


def _array_column(name: str, array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    kind = array.dtype
    if kind == np.uint64 or kind == np.float16:
        array = array.astype(np.float64)
    elif kind.kind in "iu" and kind != np.int64:
        array = array.astype(np.int64)
    array = array if array.dtype.isnative and array.flags.aligned else np.array(array, dtype=array.dtype.newbyteorder("="))
    return (name, array.dtype.name, array)


def _plain_column(name: str, values: Sequence[Any]) -> tuple[Any, ...]:
    """A column of a mapping: a list or an array."""
    array = np.asarray(values)
    if array.dtype.kind in "fiub":
        return _array_column(name, array)
    words = list(values)
    known = {word: number for number, word in enumerate(dict.fromkeys(word for word in words if not _is_missing(word)))}
    if known and all(isinstance(word, (int, float)) for word in known):
        return _array_column(name, np.array([np.nan if _is_missing(word) else word for word in words], dtype=np.float64))
    codes = np.array([known.get(word, -1) for word in words], dtype=np.int32)
    return _named(name, codes, known)


def _is_missing(word: Any) -> bool:
    return word is None or (isinstance(word, float) and word != word)


def _named(name: str, codes: np.ndarray[Any, Any], words: Iterable[Any]) -> tuple[Any, ...]:
    """A column of names; one of other things can only be left out, which is for the native part to say."""
    words = list(words)
    odd = next((word for word in words if not isinstance(word, (str, bool, int, float, np.generic))), None)
    if odd is not None:
        return (name, "other", len(codes), type(odd).__name__)
    return (name, "categories", codes, [str(word) for word in words])
