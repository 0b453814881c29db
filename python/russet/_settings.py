"""Names and defaults of what decides a model: those of the core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import _russet
from ._errors import SettingsError

#: Every setting with its default, as the core has them.
DEFAULTS: dict[str, Any] = {name: value for name, value in _russet.defaults().items() if name != "headroom"}


def chosen(values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings among some values, such as the arguments of a function."""
    return {name: values[name] for name in DEFAULTS}


def check_resumed(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Refuses settings that were asked for and are not those of the model to go on with."""
    for name, default in DEFAULTS.items():
        if wanted[name] != default and wanted[name] != found[name]:
            raise SettingsError(
                f"the model was trained with other settings: {name} {wanted[name]} is asked for, but it has {found[name]}"
            )
