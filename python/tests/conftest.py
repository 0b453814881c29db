"""What the tests share: the command line to compare with, and data."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pandas as pd
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DATA = REPOSITORY / "data"


def program() -> Path:
    """The command line: RUSSET_PROGRAM, or what cargo has built."""
    named = os.environ.get("RUSSET_PROGRAM")
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    for path in [Path(named)] if named else [target / "release" / "russet", target / "debug" / "russet"]:
        if path.is_file():
            return path
    raise FileNotFoundError("the tests compare with the command line: cargo build -p russet-cli, or set RUSSET_PROGRAM")


@pytest.fixture
def command(tmp_path):
    """Trains with the command line; gives the content of the model's file."""

    def trained(*arguments: object) -> bytes:
        model = tmp_path / "command.model"
        words = [str(argument) for argument in arguments]
        subprocess.run([program(), "train", *words, "--quiet", "--output", model], check=True)
        return model.read_bytes()

    return trained


@pytest.fixture
def titanic() -> pd.DataFrame:
    return pd.read_csv(DATA / "titanic.csv")


@pytest.fixture
def abalone() -> pd.DataFrame:
    return pd.read_csv(DATA / "abalone.csv")
