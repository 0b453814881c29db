"""What a run was made on and with, for whoever reads its figures later."""

import os
import platform
import re
import subprocess
from pathlib import Path

from common import REPOSITORY, environment_python, run


def description():
    """Names and values, in the order to be shown."""
    return {
        "processor": processor(),
        "cores": cores(),
        "memory": memory(),
        "system": f"{system()}, Linux {platform.release()}",
        "load before the run": " ".join(f"{load:.2f}" for load in os.getloadavg()) + " (1, 5 and 15 minutes)",
        "rustc": first_line(["rustc", "--version"]),
        "Vowpal Wabbit": f"{vw_version()}, vowpal-wabbit-next {package('vowpal-wabbit-next')}",
        "scikit-learn": package("scikit-learn"),
        "LightGBM": package("lightgbm"),
        "Python": platform.python_version(),
        "commit": commit(),
    }


def processor():
    """As the system calls it; families are added where the name says little."""
    fields = dict(re.findall(r"^(.+?)\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE))
    name, family, model = (fields.get(key, "") for key in ("model name", "cpu family", "model"))
    return f"{name or platform.machine()} (family {family}, model {model})" if family else name or platform.machine()


def slug():
    """The processor's name as part of a file name."""
    name = re.sub(r"\((R|TM|family .*)\)", "", processor(), flags=re.IGNORECASE)
    name = re.sub(r"\b(CPU|Processor)\b|@.*", "", name)
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def cores():
    usable, there = len(os.sched_getaffinity(0)), os.cpu_count()
    return str(there) if usable == there else f"{usable} of {there} usable"


def memory():
    kib = int(re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text()).group(1))
    return f"{kib / 2**20:.0f} GiB"


def system():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()


def commit():
    """The state of the repository, and whether it had changes of its own."""
    number = first_line(["git", "-C", REPOSITORY, "rev-parse", "--short=12", "HEAD"])
    changed = first_line(["git", "-C", REPOSITORY, "status", "--porcelain", "--untracked-files=no"])
    return f"{number}, with changes" if changed not in ("", "unknown") else number


def first_line(command):
    """What a command prints first; not knowing is no reason to stop."""
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    except OSError:
        return "unknown"
    return (done.stdout.splitlines() or [""])[0].strip() if done.returncode == 0 else "unknown"


def package(name):
    return in_environment(f"from importlib.metadata import version; print(version({name!r}))")


def vw_version():
    return in_environment("import vowpal_wabbit_next; print(vowpal_wabbit_next.VW_VERSION)")


def in_environment(program):
    return run([environment_python(), "-c", program]).strip()
