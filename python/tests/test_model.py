"""Models: predictions, terms, explanations, curves, figures."""

import json
import pickle
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import DATA, program

import russet


@pytest.fixture
def model(titanic):
    return russet.train(titanic, "survived", preset="paper", epochs=3)


def test_predictions_are_those_of_the_command_line(model, titanic, tmp_path):
    model.save(tmp_path / "model")

    def printed(*flags):
        words = [program(), "predict", "-m", tmp_path / "model", DATA / "titanic.csv", *flags]
        return np.array(subprocess.run(words, check=True, capture_output=True, text=True).stdout.split(), dtype=np.float32)

    assert np.array_equal(model.predict(titanic), printed())
    assert np.array_equal(model.predict(pl.from_pandas(titanic), probability=True), printed("--probability"))


def test_terms_read_as_on_the_command_line(model):
    terms = model.terms(top=4)
    assert list(terms["name"]) == ["sex=female", "sex=male", "age=child * sex=male", "sex=female * class=2nd"]
    assert list(terms.columns) == ["name", "weight", "effect", "degree", "epoch", "active"]
    assert list(terms["degree"]) == [1, 1, 2, 2] and list(terms["epoch"]) == [1, 1, 2, 2]
    assert len(model.terms()) == (model.terms()["weight"] != 0).sum() > 20
    with pytest.raises(ValueError, match="top is -1"):
        model.terms(top=-1)


def test_explanations_add_up_exactly(model, titanic):
    for row in (titanic.iloc[[3]], titanic.iloc[3], titanic.iloc[3].to_dict(), pl.from_pandas(titanic)[3]):
        parts = model.explain(row)
        assert sum(parts["contribution"].tolist()) == model.predict(titanic.iloc[[3]])[0]
        assert len(model.explain(row, top=2).query("kind == 'term'")) == 2
    with pytest.raises(russet.DataError, match="there are 2 rows to explain; expected one"):
        model.explain(titanic[:2])


def test_explanations_of_arrays_and_classes(abalone):
    numbers = np.random.default_rng(1).random((500, 3))
    by_number = russet.train(numbers, numbers[:, 0])
    assert sum(by_number.explain(numbers[0])["contribution"].tolist()) == by_number.predict(numbers[:1])[0]
    classes = russet.train(abalone, "sex")
    scores = classes.scores(abalone[:1])[0]
    assert sum(classes.explain(abalone[:1])["contribution"].tolist()) == scores.max()
    assert sum(classes.explain(abalone[:1], of_class="M")["contribution"].tolist()) == scores[2]
    with pytest.raises(russet.DataError, match="there is no class `X`"):
        classes.explain(abalone[:1], of_class="X")


def test_the_curve_ends_where_the_model_stands(model):
    curve = model.progress
    assert curve["examples"].iloc[-1] == model.examples == 2201
    assert curve["error"].iloc[-1] == model.progressive_error
    assert curve["examples"].is_monotonic_increasing and len(curve) > 10 and curve["examples"].iloc[0] == 128
    loaded = russet.Model.from_bytes(model.to_bytes()).progress
    assert list(loaded["error"]) == [model.progressive_error]


def test_pickled_models_keep_their_curve(model, titanic):
    again = pickle.loads(pickle.dumps(model))
    assert again.to_bytes() == model.to_bytes() and again.progress.equals(model.progress)
    assert np.array_equal(again.predict(titanic), model.predict(titanic))


def test_evaluation_is_that_of_the_command_line(model, titanic, tmp_path):
    model.save(tmp_path / "model")
    words = [program(), "evaluate", "-m", tmp_path / "model", DATA / "titanic.csv", "--json"]
    printed = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    for scores in (model.evaluate(titanic), model.evaluate(DATA / "titanic.csv"), model.evaluate(titanic, titanic["survived"])):
        assert scores["error"] == pytest.approx(printed["error"], abs=1e-12)
        assert scores["auc"] == pytest.approx(printed["auc"], abs=1e-12)


def test_several_classes(abalone):
    model = russet.train(abalone, "sex", loss="logistic")
    shares = model.predict(abalone, probability=True)
    assert shares.shape == (len(abalone), 3) and np.allclose(shares.sum(axis=1), 1, atol=1e-6)
    error = (model.predict(abalone) != abalone["sex"]).mean()
    assert model.evaluate(abalone)["error"] == pytest.approx(error) and error < 0.5
    assert set(model.terms(20)["class"]) == {"F", "I", "M"}


def test_figures(model, titanic):
    import matplotlib

    matplotlib.use("Agg")
    bars = model.plot_terms(top=5)
    assert [label.get_text() for label in bars.get_yticklabels()][0] == "sex=female" and len(bars.patches) == 5
    line = model.plot_progress().lines[0]
    assert line.get_ydata()[-1] == model.progressive_error


def test_a_frame_for_a_model_has_its_columns(model, titanic):
    with pytest.raises(russet.DataError, match="there is no column `sex`, which the model was trained with"):
        model.predict(titanic.drop(columns="sex"))
    more = titanic.assign(other=pd.Timestamp("2026-01-01"))
    # Sums run in the order of the columns, as they do for a CSV file.
    assert np.allclose(model.predict(more[["other", "sex", "age", "class"]]), model.predict(titanic), atol=1e-5)


def test_what_is_no_model_is_refused(tmp_path):
    (tmp_path / "model").write_bytes(b"something else")
    with pytest.raises(russet.ModelError, match="model: this is not a russet model"):
        russet.Model.load(tmp_path / "model")
    with pytest.raises(russet.ModelError, match="it was cut short or changed"):
        russet.Model.from_bytes(russet.train(np.eye(3), [1, 2, 3]).to_bytes()[:-9])
