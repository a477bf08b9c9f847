"""What tests of libtrammel-control share: see run-control.py."""

import json
import os
import subprocess
import sys
import time

SOURCES = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(SOURCES))
AGENTS = os.path.join(SOURCES, "agents.py")
LONG = 120


class Failure(Exception):
    pass


class Skip(Exception):
    pass


class Place:
    """What is used: the build, a folder, the programs."""

    def __init__(self, build, folder):
        self.build = os.path.abspath(build)
        self.folder = folder
        self.trammel = os.path.join(self.build, "src/cli/trammel")
        self.library = os.path.join(self.build, "src/libcontrol")
        self.agent = f"{self.trammel} agent --stdio"
        for name in ("target", "control", "failing", "random"):
            self.compile(name)
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-x", "c", "-", "-o", self.path("loaded.so")],
                       input=b"int loaded(void) { return 42; }", check=True)

    def compile(self, name):
        libraries = [] if name == "target" else [
            "-L", self.library, "-l:libtrammel-control.so.0", f"-Wl,-rpath,{self.library}"]
        subprocess.run(["gcc", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-I",
                        os.path.join(ROOT, "include"), os.path.join(SOURCES, name + ".c"), "-o",
                        self.path(name), *libraries], check=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words, expected=None, **more):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LONG,
                              stdin=subprocess.DEVNULL, check=False, **more)
        if expected is not None and done.returncode != expected:
            raise Failure(f"{words}: status {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")
        return done.stdout

    def calls(self, profile, function):
        report = json.loads(self.run(self.trammel, "report", "--json", "--all", profile, expected=0))
        return sum(row["calls"] for row in report["rows"] if function in (row["function"], None))


def holds(what, *about):
    if not what:
        raise Failure(" ".join(str(word) for word in about) or "does not hold")


def wait_for(question, what):
    """Until the question has an answer that is true."""
    until = time.monotonic() + LONG / 2
    while not (found := question()):
        holds(time.monotonic() < until, "waited in vain for", what)
        time.sleep(0.02)
    return found


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def python_of(place):
    """The folder of the Python module; tests of it are skipped without one."""
    folder = os.path.join(place.build, "src/python")
    names = os.listdir(os.path.join(folder, "trammel")) if os.path.isdir(os.path.join(folder, "trammel")) else []
    if not any(name.startswith("_control.") and name.endswith(".so") for name in names):
        raise Skip("built without the Python module")
    version = next(name.split("cpython-3")[1].split("-")[0] for name in names if name.endswith(".so"))
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", f"import sys; sys.exit(sys.version_info[:2] != (3, {version}))"],
                          check=False).returncode == 0:
            return folder, python
    raise Skip("the module is for another Python")
