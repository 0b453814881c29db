"""russet: an online learner for large sparse and tabular data that grows the interactions it needs.

:func:`train` learns a :class:`Model` from files, frames, arrays or sparse matrices; :class:`RussetClassifier` and
:class:`RussetRegressor` are estimators for scikit-learn, which only they need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._errors import DataError, ModelError, RussetError, SettingsError
from ._model import Model
from ._progress import Progress
from ._russet import __version__
from ._train import train

if TYPE_CHECKING:
    from ._estimators import RussetClassifier, RussetRegressor

__all__ = [
    "DataError",
    "Model",
    "ModelError",
    "Progress",
    "RussetClassifier",
    "RussetError",
    "RussetRegressor",
    "SettingsError",
    "__version__",
    "train",
]


def __getattr__(name: str) -> Any:
    # The estimators are loaded when they are asked for, for they alone need scikit-learn.
    if name in ("RussetClassifier", "RussetRegressor"):
        try:
            from . import _estimators
        except ModuleNotFoundError as error:
            if error.name is None or error.name.split(".")[0] != "sklearn":
                raise
            raise ImportError(f"{name} needs scikit-learn: pip install 'russet[sklearn]'") from error
        return getattr(_estimators, name)
    raise AttributeError(f"module 'russet' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
