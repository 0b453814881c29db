"""Same data, same settings: the model is that of the command line, bit for bit."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from conftest import DATA

import russet

SETTINGS = [
    {},
    {"expansion": "linear"},
    {"expansion": "quadratic", "loss": "logistic"},
    {"loss": "hinge", "learning_rate": 0.25, "passes": 3},
    {"preset": "paper", "alpha": 0.5, "epochs": 4},
    {"l1": 1e-5, "l2": 1e-4, "select": "ssm", "guard": "off", "passes": 2},
    {"step": "sgd", "l2": 0.01, "expansion": "linear"},
]


def flags(settings):
    return [word for name, value in settings.items() for word in (f"--{name.replace('_', '-')}", value)]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_file_and_frames_of_it(command, titanic, settings):
    wanted = command(DATA / "titanic.csv", "--label", "survived", *flags(settings))
    frames = [str(DATA / "titanic.csv"), DATA / "titanic.csv", titanic, pl.from_pandas(titanic), pa.Table.from_pandas(titanic)]
    frames += [titanic.astype("category"), titanic.to_dict("list"), pl.from_pandas(titanic).cast(pl.Categorical)]
    for frame in frames:
        assert russet.train(frame, "survived", **settings).to_bytes() == wanted, type(frame)


def test_numbers_and_names_together(command, abalone):
    for label in ("rings", "sex"):
        wanted = command(DATA / "abalone.csv", "--label", label, "--passes", 2)
        assert russet.train(abalone, label, passes=2).to_bytes() == wanted
        assert russet.train(pl.from_pandas(abalone), label, passes=2).to_bytes() == wanted


def test_columns_named_otherwise(command, tmp_path):
    frame = pd.DataFrame({"zip": [7, 8, 7, 9] * 30, "size": [1.5, np.nan, 0, 2] * 30, "w": [1, 2, 1, 0] * 30,
                          "note": list("abcd") * 30, "y": [1, 0, 1, 1] * 30})
    frame.to_csv(tmp_path / "data.csv", index=False)
    wanted = command(tmp_path / "data.csv", "--categorical", "zip", "--ignore", "note", "--weight", "w", "--passes", 2)
    for data in (frame, pl.from_pandas(frame), tmp_path / "data.csv"):
        model = russet.train(data, categorical=["zip"], ignore=["note"], weight="w", passes=2)
        assert model.to_bytes() == wanted
    assert "zip=7" in set(model.terms()["name"])


def svmlight(path, matrix, labels):
    rows = (" ".join(f"{column}:{value!r}" for column, value in enumerate(row) if value) for row in matrix.tolist())
    path.write_text("".join(f"{label} {row}\n" for label, row in zip(labels.tolist(), rows)))


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_arrays_and_sparse_matrices(command, tmp_path, settings):
    source = np.random.default_rng(3)
    numbers = source.random((2000, 12)).astype(np.float32) * (source.random((2000, 12)) < 0.6)
    labels = np.where(numbers[:, 0] * numbers[:, 1] + numbers[:, 2] > 0.4, 1, -1)
    svmlight(tmp_path / "data.svm", numbers, labels)
    wanted = command(tmp_path / "data.svm", *flags(settings))
    wide = np.zeros((2000, 24), dtype=np.float32)
    wide[:, ::2] = numbers
    forms = [numbers, np.asfortranarray(numbers), numbers.astype(np.float64), wide[:, ::2], numbers[::-1][::-1]]
    forms += [sp.csr_matrix(numbers), sp.csr_array(numbers.astype(np.float64)), sp.csc_matrix(numbers), sp.dok_matrix(numbers)]
    large = sp.csr_matrix(numbers)
    large.indices, large.indptr = large.indices.astype(np.int64), large.indptr.astype(np.int64)
    forms += [large, numbers.astype(">f4")]
    for form in forms:
        assert russet.train(form, labels, **settings).to_bytes() == wanted, type(form)


def test_columns_beyond_what_is_numbered(command, tmp_path):
    columns = np.array([5, 3_000_000, 4_000_000, 3_000_000])
    matrix = sp.csr_matrix((np.ones(4, np.float32), columns, [0, 2, 3, 4]), shape=(3, 5_000_000))
    (tmp_path / "data.svm").write_text("1 5:1 3000000:1\n-1 4000000:1\n1 3000000:1\n")
    assert russet.train(matrix, [1, -1, 1]).to_bytes() == command(tmp_path / "data.svm")


def test_the_estimators_model_is_that_of_the_command_line(command, titanic, abalone):
    wanted = command(DATA / "titanic.csv", "--label", "survived")
    X, y = titanic.drop(columns="survived"), titanic["survived"]
    assert russet.RussetClassifier().fit(X, y).model_.to_bytes() == wanted
    wanted = command(DATA / "abalone.csv", "--label", "sex", "--loss", "logistic")
    X, y = abalone.drop(columns="sex"), abalone["sex"]
    assert russet.RussetClassifier(loss="logistic").fit(X, y).model_.to_bytes() == wanted
    wanted = command(DATA / "abalone.csv", "--label", "rings", "--learning-rate", 8)
    X, y = abalone.drop(columns="rings"), abalone["rings"]
    assert russet.RussetRegressor(learning_rate=8.0).fit(X, y).model_.to_bytes() == wanted


def test_resumed_training(command, titanic, tmp_path):
    titanic[:1000].to_csv(tmp_path / "one.csv", index=False)
    titanic[1000:].to_csv(tmp_path / "two.csv", index=False)
    (tmp_path / "first.model").write_bytes(command(tmp_path / "one.csv", "--label", "survived"))
    wanted = command(tmp_path / "two.csv", "--resume", tmp_path / "first.model")
    first = russet.train(titanic[:1000], "survived")
    content = first.to_bytes()
    for data in (titanic[1000:], tmp_path / "two.csv"):
        for resume in (first, tmp_path / "first.model"):
            assert russet.train(data, "survived", resume=resume).to_bytes() == wanted
    assert first.to_bytes() == content
    with pytest.raises(russet.SettingsError, match="learning_rate 2.0 is asked for, but it has 0.5"):
        russet.train(titanic, "survived", resume=first, learning_rate=2.0)


def test_files_are_those_of_the_command_line(command, titanic, tmp_path):
    command(DATA / "titanic.csv", "--label", "survived")
    model = russet.Model.load(tmp_path / "command.model")
    model.save(tmp_path / "saved.model")
    assert (tmp_path / "saved.model").read_bytes() == (tmp_path / "command.model").read_bytes()
    assert model.classes == ["no", "yes"] and model.columns == ["class", "age", "sex"]
    assert np.array_equal(model.predict(titanic), model.predict(DATA / "titanic.csv"))
