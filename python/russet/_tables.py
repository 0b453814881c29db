"""Tables for people: a pandas frame if pandas is there, else one of polars, else a dictionary of lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Any


def as_table(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Any:
    listed = list(rows)
    columns = {name: [row[place] for row in listed] for place, name in enumerate(names)}
    if find_spec("pandas"):
        import pandas

        return pandas.DataFrame(columns)
    if find_spec("polars"):
        import polars

        return polars.DataFrame(columns)
    return columns
