"""While a training goes on: Ctrl-C, Python's lock, progress."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import russet

ENDLESS = """
import numpy as np, russet, sys
numbers = np.random.default_rng(1).random((100_000, 20), dtype=np.float32)
print("begun", flush=True)
try:
    russet.train(numbers, numbers[:, 0], passes=100_000)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


def test_ctrl_c_ends_a_training():
    child = subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.5)
    asked = time.perf_counter()
    child.send_signal(signal.SIGINT)
    output, _ = child.communicate(timeout=30)
    assert output == "stopped\n" and child.returncode == 0
    assert time.perf_counter() - asked < 5


def test_other_threads_run_meanwhile():
    numbers = np.random.default_rng(1).random((200_000, 20), dtype=np.float32)
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    russet.train(numbers, numbers[:, 0])
    during = counted[0] - before
    done.set()
    thread.join()
    assert during > 10


def test_a_model_is_used_by_several_threads():
    numbers = np.random.default_rng(1).random((20_000, 5), dtype=np.float32)
    model = russet.train(numbers, numbers[:, 0])
    wanted, found = model.predict(numbers), []
    threads = [threading.Thread(target=lambda: found.append(model.predict(numbers))) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(found) == 4 and all(np.array_equal(one, wanted) for one in found)


def test_a_callback_hears_and_may_stop():
    numbers = np.random.default_rng(1).random((20_000, 5), dtype=np.float32)
    heard = []
    model = russet.train(numbers, numbers[:, 0], callback=heard.append)
    assert heard[-1].examples == 20_000 and heard[-1].fraction == 1.0 and heard[-1].error == model.progressive_error
    assert [one.examples for one in heard] == sorted(one.examples for one in heard) and len(heard) >= 20

    def stop(progress):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        russet.train(numbers, numbers[:, 0], passes=1000, callback=stop)


def test_silent_by_default_and_a_bar_if_asked(capfd):
    numbers = np.random.default_rng(1).random((20_000, 5), dtype=np.float32)
    russet.train(numbers, numbers[:, 0])
    assert capfd.readouterr() == ("", "")
    russet.train(numbers, numbers[:, 0], verbose=True)
    output, errors = capfd.readouterr()
    assert output == "" and "russet" in errors and "loss" in errors


def test_lines_where_there_is_no_tqdm():
    code = """
import sys; sys.modules["tqdm"] = sys.modules["tqdm.auto"] = None
import numpy as np, russet
russet.train(np.random.default_rng(1).random((1000, 3)), np.arange(1000) % 2, verbose=True)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stderr.splitlines()
    assert len(lines) == 3 and lines[0].split()[:2] == ["128", "examples"] and done.stdout == ""
