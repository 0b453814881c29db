"""How a training tells where it stands: to a callback, as a bar, or not at all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple


class Progress(NamedTuple):
    """Where a training stands. Every example is predicted before it is learned from, so the figures are honest."""

    #: How many examples have been learned from.
    examples: int
    #: The share of the whole course, if its length is known.
    fraction: float | None
    #: The mean loss so far.
    loss: float | None
    #: The mean loss since the last point of the curve.
    loss_since: float | None
    #: The error so far: the share of mistakes, or the mean squared error.
    error: float | None
    #: Active features an example, products included.
    features: float | None
    #: The time since training began.
    seconds: float


Callback = Callable[[Progress], object]


@contextmanager
def reporter(verbose: bool, callback: Callback | None) -> Iterator[Callable[..., None] | None]:
    """What the native part calls, or nothing if nobody listens."""
    shown = _shown() if verbose else None
    if shown is None and callback is None:
        yield None
        return

    def tell(*figures: Any) -> None:
        progress = Progress(*figures)
        if shown is not None:
            shown.show(progress)
        if callback is not None:
            callback(progress)

    try:
        yield tell
    finally:
        if shown is not None:
            shown.close()


def _shown() -> _Bar | _Rows:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Rows()
    return _Bar(tqdm)


class _Bar:
    """A bar of tqdm's, on standard error."""

    def __init__(self, tqdm: Any) -> None:
        self._bar = tqdm(unit=" examples", unit_scale=True, desc="russet", leave=False, file=sys.stderr)

    def show(self, progress: Progress) -> None:
        if progress.fraction:
            self._bar.total = round(progress.examples / progress.fraction)
        self._bar.set_postfix_str(f"loss {_figure(progress.loss)} error {_figure(progress.error)}", refresh=False)
        self._bar.update(progress.examples - self._bar.n)
        self._bar.refresh()

    def close(self) -> None:
        self._bar.close()


class _Rows:
    """Where there is no tqdm: a line each time the number of examples has doubled, on standard error."""

    def __init__(self) -> None:
        self._next = 0

    def show(self, progress: Progress) -> None:
        if progress.examples >= self._next:
            self._next = 2 * progress.examples
            line = f"{progress.examples:>12,} examples  loss {_figure(progress.loss)}  error {_figure(progress.error)}"
            print(line, file=sys.stderr)

    def close(self) -> None:
        pass


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.5g}"
