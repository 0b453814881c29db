"""Figures of a model, with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._model import Model


def _axes(axes: Any, height: float) -> Any:
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'russet[plot]'") from error
    _, axes = pyplot.subplots(figsize=(7, height), layout="constrained")
    return axes


def plot_terms(model: Model, top: int, axes: Any) -> Any:
    """Bars of the strongest terms: what each adds to a prediction at its largest value."""
    terms = [row for row in model._term_rows(top + 1) if row[1] != "constant"][:top]
    axes = _axes(axes, 1 + 0.25 * len(terms))
    names = [name if of_class is None else f"{of_class}: {name}" for of_class, name, *_ in terms]
    effects = [row[3] for row in terms]
    colours = ["tab:blue" if effect >= 0 else "tab:red" for effect in effects]
    places = range(len(terms))
    axes.barh(places, effects, color=colours)
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel("what it adds to a prediction")
    return axes


def plot_progress(model: Model, axes: Any) -> Any:
    """The progressive error over the examples, on a logarithmic axis."""
    points = model._points()
    axes = _axes(axes, 4)
    axes.plot([point[0] for point in points], [point[3] for point in points], marker=".")
    axes.set_xscale("log")
    axes.set_xlabel("examples")
    axes.set_ylabel("share of mistakes so far" if model.task == "classification" else "mean squared error so far")
    return axes
