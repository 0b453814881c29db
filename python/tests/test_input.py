"""What goes in: kinds, missing values, and what is refused with which words."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import russet


def names(model):
    return set(model.terms()["name"])


def test_strings_categories_truth_values_and_numbers():
    frame = pd.DataFrame({"education": ["Masters", "None yet"] * 50, "married": [True, False] * 50, "age": [30, 40] * 50,
                          "kind": pd.Categorical(["a", "b"] * 50), "y": [1, -1] * 50})
    wanted = {"constant", "education=Masters", "education=None yet", "married", "age", "kind=a", "kind=b"}
    for data in (frame, pl.from_pandas(frame)):
        assert names(russet.train(data, "y", expansion="linear")) == wanted
    products = names(russet.train(frame, "y", passes=3))
    assert any(" * " in name for name in products)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_what_two_columns_decide_together_has_both_names(kind):
    source = np.random.default_rng(1)
    education, married = source.choice(["Masters", "Bachelors", "10th grade"], 4000), source.random(4000) < 0.5
    # Names stand in the order in which features first came.
    education[0], married[0] = "Masters", True
    rich = np.where((education == "Masters") & married, "50000+", "less")
    model = russet.train(kind({"education": education, "married": married, "rich": rich}), "rich", classes=["less", "50000+"], passes=2)
    assert "education=Masters * married" in set(model.terms(top=8)["name"])


def test_missing_values_are_no_features():
    frame = pd.DataFrame({"a": ["x", None, "?", "", "NA"] * 20, "b": [1.0, np.nan, 2, 3, 4] * 20, "y": [1, -1, 1, -1, 1] * 20})
    polars = pl.DataFrame({"a": ["x", None, "?", "", "NA"] * 20, "b": [1.0, None, 2, 3, 4] * 20, "y": [1, -1, 1, -1, 1] * 20})
    model = russet.train(frame, "y", expansion="linear")
    assert names(model) == {"constant", "a=x", "b"}
    assert russet.train(polars, "y", expansion="linear").to_bytes() == model.to_bytes()
    nullable = frame.astype({"b": "Float64"}).convert_dtypes()
    assert russet.train(nullable, "y", expansion="linear").to_bytes() == model.to_bytes()


def test_nan_and_zero_are_no_features():
    numbers = np.array([[1, 0, np.nan], [2, 3, 4]] * 50)
    sparse = sp.csr_matrix(np.nan_to_num(numbers))
    assert russet.train(numbers, [1, -1] * 50).to_bytes() == russet.train(sparse, [1, -1] * 50).to_bytes()


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32"])
def test_kinds_of_numbers(kind):
    frame = pd.DataFrame({"x": np.arange(100) % 7, "y": [1, -1] * 50})
    wanted = russet.train(frame, "y").to_bytes()
    assert russet.train(frame.astype({"x": kind}), "y").to_bytes() == wanted
    if kind != "float16":
        assert russet.train(pl.from_pandas(frame.astype({"x": kind})), "y").to_bytes() == wanted


def test_chunks_of_arrow():
    frame = pl.DataFrame({"x": ["a", "b"] * 500, "y": [1, -1] * 500})
    parts = pl.concat([frame[:300], frame[300:301], frame[301:]], rechunk=False)
    assert parts.n_chunks() == 3
    assert russet.train(parts, "y").to_bytes() == russet.train(frame, "y").to_bytes()


def refusal(*arguments, **settings):
    with pytest.raises(russet.DataError) as caught:
        russet.train(*arguments, **settings)
    return str(caught.value)


def test_refused_values():
    numbers = np.ones((3, 2))
    numbers[1, 1] = np.inf
    wanted = "row 1, column 1 is inf; expected a finite number within single precision (NaN for a missing one)"
    assert refusal(numbers, [1, 2, 3]) == refusal(sp.csr_matrix(numbers), [1, 2, 3]) == wanted
    assert refusal(np.asfortranarray(numbers), [1, 2, 3]) == wanted
    frame = pd.DataFrame({"x": [1.0, 1e300], "y": [1, 2]})
    assert refusal(frame, "y") == wanted.replace("1 is inf", "`x` is 1e300")
    assert refusal(np.ones((2, 2)), [1, np.nan]) == "row 1: the label is NaN; it must be a finite number"
    assert refusal(np.ones((2, 2)), [1, 2, 3]) == "there are 3 labels for 2 rows; expected one for each"
    assert refusal(np.ones((2, 2)), [1, 2], weight=[1, -1]) == "row 1: the importance is -1; it must be 0 or more"
    assert refusal(np.ones((2, 2)), [1, 7], loss="logistic") == "row 1: the label is 7; logistic loss needs -1 and 1, or 0 and 1"


def test_refused_columns():
    frame = pd.DataFrame({"when": [datetime.datetime(2026, 1, 1)] * 2, "y": [1, 2]})
    assert refusal(frame, "y").startswith("the column `when` is of type datetime64")
    assert refusal(pl.from_pandas(frame), "y").startswith("the column `when` is of type Timestamp")
    plain = pd.DataFrame({"x": ["a", "b"], "y": [1, 2]})
    assert refusal(plain, "z") == "there is no column `z`; there are `x`, `y`"
    assert refusal(plain[["x"]]) == "which column is the label? Name it with label=; there are `x`"
    assert refusal(plain, "y", numeric=["x"]) == "the column `x` holds names; expected numbers"
    assert refusal(pd.DataFrame({"x": [1, 2], "y": ["a", "a"]}), "y").startswith("the label column `y` has only one name, `a`")
    assert refusal(np.ones((0, 2)), []) == "there is no example to learn from in the data"
    assert refusal(np.ones((2, 2))) == "there are no labels; give them as label="
    assert refusal(np.ones((2, 2)), "y").startswith("an array has no named columns")
    assert refusal(np.array([["a"], ["b"]]), [1, 2]).startswith("the array holds <U1, which are no numbers")


def test_refused_files(tmp_path):
    assert refusal(tmp_path / "none.csv", "y") == f"{tmp_path}/none.csv: no such file"
    (tmp_path / "data.csv").write_text("a,y\n1,1\nx,2\n")
    assert refusal(tmp_path / "data.csv", "z") == f"{tmp_path}/data.csv: there is no column `z`; the nearest name is `y`"
    (tmp_path / "data.vw").write_text("1 | a\n")
    assert refusal(tmp_path / "data.vw", "y") == "label= is for tables, but the data is VW text"
    (tmp_path / "late.csv").write_text("a,y\n" + "1,1\n" * 30_000 + "x,2\n")
    assert "value in the column `a` is `x`; expected a number" in refusal(tmp_path / "late.csv", "y")
    assert russet.train(tmp_path / "late.csv", "y", on_error="skip").examples == 30_000


def test_refused_settings():
    for settings, message in [
        ({"bits": 99}, "bits is 99; it must be between 4 and 30"),
        ({"learning_rate": -1.0}, "learning_rate is -1; it must be above 0"),
        ({"learning_rate": "fast"}, "learning_rate is 'fast'; it must be a number"),
        ({"expansion": "septic"}, "expansion is septic; it must be one of linear, quadratic, cubic, apple"),
        ({"expansion": "linear", "alpha": 2.0}, "alpha is 2.0; it must be left out unless the expansion is apple"),
        ({"quantile": 0.9}, "quantile is 0.9; it must be left out unless the loss is quantile"),
        ({"epochs": 2.5}, "epochs is 2.5; it must be a whole number, 0 or more"),
        ({"preset": "tuesday"}, "preset is tuesday; it must be paper or None"),
        ({"passes": 0}, "passes is 0; it must be 1 or more"),
        ({"readers": 2}, "readers is for files"),
    ]:
        with pytest.raises(russet.SettingsError) as caught:
            russet.train(np.ones((2, 2)), [1, 2], **settings)
        assert str(caught.value) == message
    assert issubclass(russet.SettingsError, ValueError) and issubclass(russet.SettingsError, russet.RussetError)


def test_classes_by_name_beside_an_array():
    numbers = np.eye(4)[[0, 1, 2, 3] * 50]
    model = russet.train(numbers, np.array(["n", "e", "s", "w"] * 50))
    assert model.predict(np.eye(4)).tolist() == ["n", "e", "s", "w"]
    two = russet.train(numbers, np.array(["n", "e", "n", "e"] * 50), classes=["n", "e"])
    assert (two.predict(np.eye(4)) > 0).tolist() == [False, True, False, True]


def test_weights_count():
    numbers = np.ones((100, 1), dtype=np.float32)
    labels = np.array([1, -1] * 50)
    heavy = russet.train(numbers, labels, weight=np.where(labels > 0, 10.0, 1.0))
    assert heavy.predict(numbers[:1])[0] > russet.train(numbers, labels).predict(numbers[:1])[0] + 0.2
