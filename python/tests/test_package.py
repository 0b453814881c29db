"""The package: what it needs, its types, its documentation."""

import doctest
import importlib
import os
import re
import subprocess
import sys

import pytest
from conftest import DATA, REPOSITORY

BLOCKED = """
import sys
for name in {blocked}: sys.modules[name] = None
import russet
"""


def run(blocked, code):
    # find_spec reads None in sys.modules as an error, so these are hidden from it as well.
    hide = (
        "import importlib.util, russet._tables as tables\n"
        "tables.find_spec = lambda name: importlib.util.find_spec(name) if sys.modules.get(name, 1) else None\n"
    )
    text = BLOCKED.format(blocked=blocked) + hide + code
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_only_numpy_is_needed():
    code = f"print(type(russet.train({str(DATA / 'titanic.csv')!r}, 'survived').terms(2)).__module__)"
    everything = ["sklearn", "pandas", "polars", "scipy", "scipy.sparse", "matplotlib", "tqdm", "pyarrow"]
    assert run(everything, code) == "builtins\n"
    assert run(["pandas"], code).startswith("polars")
    assert run([], code).startswith("pandas")


def test_importing_loads_nothing_that_is_optional():
    code = "print([n for n in ('sklearn', 'pandas', 'polars', 'scipy', 'matplotlib', 'tqdm') if sys.modules.get(n)])"
    assert run([], code) == "[]\n"


def test_estimators_say_what_they_need():
    code = """
try: russet.RussetClassifier
except ImportError as error: print(error)
"""
    assert run(["sklearn"], code) == "RussetClassifier needs scikit-learn: pip install 'russet[sklearn]'\n"


@pytest.mark.parametrize("name", ["_model", "_train", "_estimators"])
def test_examples_in_the_documentation_of_functions(name):
    results = doctest.testmod(importlib.import_module(f"russet.{name}"), optionflags=doctest.ELLIPSIS)
    assert results.attempted >= 5 and results.failed == 0


def test_the_tutorial_runs(tmp_path):
    """All of docs/python.md in one go; what it shows after `# ->` is what comes out."""
    text = (REPOSITORY / "docs" / "python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.S | re.M)
    assert len(blocks) >= 6
    script = tmp_path / "tutorial.py"
    script.write_text("import matplotlib\nmatplotlib.use('Agg')\n" + "\n".join(blocks))
    done = subprocess.run([sys.executable, script], cwd=REPOSITORY, capture_output=True, text=True, env=os.environ | {"FIGURES": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    wanted = [line[4:].strip() for block in blocks for line in block.splitlines() if line.startswith("# ->")]
    assert [line.rstrip() for line in done.stdout.splitlines()] == wanted


def test_types(tmp_path):
    config = REPOSITORY / "python" / "pyproject.toml"
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", config], cwd=REPOSITORY / "python", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    # From a folder without a `russet` in it: the one here has no native part.
    stubs = subprocess.run([sys.executable, "-m", "mypy.stubtest", "russet._russet", "--mypy-config-file", config],
                           cwd=tmp_path, capture_output=True, text=True)
    assert stubs.returncode == 0, stubs.stdout


def test_a_users_program_is_checked(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import russet\nmodel: russet.Model = russet.train('a.csv', 'y', epochs=3)\nreveal_type(model.progressive_error)\n"
                       "russet.train('a.csv', learning_rate='fast')\n")
    done = subprocess.run([sys.executable, "-m", "mypy", program], cwd=tmp_path, capture_output=True, text=True)
    assert 'Revealed type is "float | None"' in done.stdout.replace("builtins.", "").replace("Union[float, None]", "float | None")
    assert 'Argument "learning_rate" to "train" has incompatible type "str"; expected "float"' in done.stdout
