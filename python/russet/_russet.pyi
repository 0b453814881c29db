from collections.abc import Callable
from typing import Any, final

import numpy as np

__all__ = [
    "Models",
    "defaults",
    "train_table",
    "train_files",
    "predict",
    "predict_files",
    "evaluate",
    "evaluate_files",
    "explain",
    "__version__",
]
__version__: str

_Floats = np.ndarray[Any, np.dtype[np.float32]]

def defaults() -> dict[str, Any]: ...
def train_files(
    paths: list[str],
    options: dict[str, Any],
    settings: dict[str, Any],
    preset: str | None,
    resume: Models | None,
    passes: int,
    examples: int | None,
    callback: Callable[..., Any] | None,
) -> Models: ...
def train_table(
    source: tuple[Any, ...],
    labels: _Floats | None,
    weights: _Floats | None,
    label: str | None,
    options: dict[str, Any],
    classes: list[str] | None,
    settings: dict[str, Any],
    preset: str | None,
    resume: Models | None,
    passes: int,
    examples: int | None,
    open_ended: bool,
    callback: Callable[..., Any] | None,
) -> Models: ...
def predict(learned: Models, source: tuple[Any, ...], probability: bool) -> _Floats: ...
def predict_files(learned: Models, paths: list[str], options: dict[str, Any], probability: bool) -> _Floats: ...
def evaluate(
    learned: Models, source: tuple[Any, ...], labels: _Floats | None, weights: _Floats | None
) -> dict[str, Any]: ...
def evaluate_files(learned: Models, paths: list[str], options: dict[str, Any]) -> dict[str, Any]: ...
def explain(
    learned: Models, source: tuple[Any, ...], class_name: str | None, top: int | None
) -> tuple[str | None, float, list[tuple[str, str, float, float | None, float | None]]]: ...
@final
class Models:
    @staticmethod
    def from_bytes(bytes: bytes) -> Models: ...
    @staticmethod
    def load(path: str) -> Models: ...
    def to_bytes(self) -> bytes: ...
    def save(self, path: str) -> None: ...
    def learn(
        self,
        source: tuple[Any, ...],
        labels: _Floats,
        weights: _Floats | None,
        callback: Callable[..., Any] | None,
    ) -> None: ...
    def terms(self, count: int) -> list[tuple[Any, ...]]: ...
    @property
    def points(self) -> list[tuple[Any, ...]]: ...
    @property
    def settings(self) -> dict[str, Any]: ...
    @property
    def classes(self) -> list[str]: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def is_classification(self) -> bool: ...
    @property
    def standing(
        self,
    ) -> tuple[int, float | None, float | None, float | None, int | None, int, int, int]: ...
