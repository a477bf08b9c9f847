"""The Python module, what is installed, and options: tests of run-control.py."""

import json
import os
import re
import shutil
import subprocess

from shared import LONG, ROOT, SOURCES, Skip, holds, is_gone, python_of, wait_for


def test_python(place):
    folder, python = python_of(place)
    environment = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([python, os.path.join(SOURCES, "cases.py"), place.folder], capture_output=True, text=True,
                          timeout=LONG, env=environment, check=False)
    text = open(os.path.join(SOURCES, "cases.py"), encoding="utf-8").read()
    holds(set(re.findall(r"^def case_(\w+)", text, re.M)) == set(re.findall(r"^case (\w+) ok$", done.stdout, re.M)),
          done.stdout[-1000:], done.stderr[-2000:])


def test_script(place):
    python_of(place)
    profile = place.path("script.trm")
    with open(place.path("control.py"), "w", encoding="ascii") as file:
        file.write(f"""
# A control file.
application = "sh"
arguments = ["-c", "exit 3"]
measurement = "arcs"
threads = True
output = "{profile}"
""")
    place.run(place.trammel, "script", place.path("control.py"), expected=3)
    report = json.loads(place.run(place.trammel, "report", "--json", profile, expected=0))
    holds(report["profile"]["run.measure"] == "calls", report["profile"])
    with open(place.path("bad.py"), "w", encoding="ascii") as file:
        file.write('application = "true"\nmesure = "calls"\n')
    done = subprocess.run([place.trammel, "script", place.path("bad.py")], capture_output=True, text=True, check=False)
    holds(done.returncode == 2 and "is 'measure' meant?" in done.stderr, done)
    for text, status, words in ((b"\xff", 4, "cannot read '{}': it is no text"), (b"a = 1\0", 2, "'{}': source code"),
                                (b"a = \n", 2, "'{}', line 1: invalid syntax"), (None, 4, "cannot read '{}': No such file")):
        if text is None:
            os.unlink(place.path("bad.py"))
        else:
            with open(place.path("bad.py"), "wb") as file:
                file.write(text)
        done = subprocess.run([place.trammel, "script", place.path("bad.py")], capture_output=True, text=True, check=False)
        holds(done.returncode == status and done.stderr.count("\n") == 1 and
              done.stderr.startswith("trammel: " + words.format(place.path("bad.py"))), done)
    said = place.run(place.trammel, "script", os.path.join(ROOT, "examples/control/arcs.py"), "ls", "-d", "/", expected=0)
    holds("->" in said and "/\n" in said, said[:300])
    lines = open(os.path.join(ROOT, "examples/control/arcs.py"), encoding="utf-8").read().splitlines()
    holds(len(lines) <= 20)
    said = subprocess.run([place.trammel, "script"], input='print(len(measure("true").functions()) > 10)\n',
                          capture_output=True, text=True, timeout=LONG, check=False)
    holds(said.returncode == 0 and "True" in said.stdout, said)
    os.chdir(place.folder)
    place.run(place.trammel, "script", os.path.join(ROOT, "examples/control/control.py"), expected=0)
    # Python's modules are its own, whatever files are in the folder that one is in.
    with open(place.path("code.py"), "w", encoding="ascii") as file:
        file.write("raise SystemExit(9)\n")
    place.run(place.trammel, "script", os.path.join(ROOT, "examples/control/control.py"), expected=0)
    os.unlink(place.path("code.py"))


def install(place):
    """Installs into a folder; that of pkg-config's files there."""
    if not shutil.which("meson"):
        raise Skip("no meson")
    folder = place.path("installed")
    place.run("meson", "install", "-C", place.build, "--no-rebuild", "--quiet", expected=0,
              env={**os.environ, "DESTDIR": folder})
    return next(path for path, _, names in os.walk(folder) if "trammel-control.pc" in names)


def test_installed(place):
    """What is installed elsewhere works there: a program that was linked by pkg-config, with a collector that is built
    against installed headers alone; the Python module; the command."""
    described = install(place)
    flags = place.run("pkg-config", "--cflags", "--libs", "trammel-control", expected=0,
                      env={**os.environ, "PKG_CONFIG_PATH": described}).split()
    libraries, binaries = os.path.dirname(described), next(
        path for path, _, names in os.walk(place.path("installed")) if "trammel" in names and path.endswith("/bin"))
    include = next(word[2:] for word in flags if word.startswith("-I"))
    holds(include.startswith(place.folder), flags)
    subprocess.run(["gcc", "-O1", os.path.join(SOURCES, "outside.c"), "-o", place.path("outside"), *flags,
                    f"-Wl,-rpath,{libraries}"], check=True)
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-I", include, os.path.join(SOURCES, "collector.c"), "-o",
                    place.path("collector.so")], check=True)
    said = place.run(place.path("outside"), place.path("target"), place.path("collector.so"), place.path("now.trm"),
                     expected=0)
    # A routine is called at its points, whether anything is counted or not; its records come at the end.
    holds(said == "13 1 0\n13 2 120\n", said)
    for name in sorted(name for name in os.listdir(os.path.join(include, "trammel")) if name.endswith(".h")):
        done = subprocess.run(["gcc", "-std=c11", "-fsyntax-only", "-x", "c", "-I", include, "-"], capture_output=True,
                              input=f"#include <trammel/{name}>\n".encode(), check=False)
        holds(not done.returncode, name, done.stderr)
    _, python = python_of(place)
    modules = next(path for path, _, names in os.walk(place.path("installed")) if "control.pyi" in names)
    bare = {"PATH": "/usr/bin:/bin", "HOME": place.folder, "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"],
            "PYTHONPATH": os.path.dirname(modules), "TRAMMEL_PYTHON": python}
    said = place.run(python, "-c", "from trammel import control; print(control.__file__); "
                     "print(len(control.measure('true').functions()) > 10)", expected=0, env=bare)
    holds(said == f"{modules}/control.py\nTrue\n", said)
    del bare["PYTHONPATH"]
    said = subprocess.run([os.path.join(binaries, "trammel"), "script"], input="print(measure('true').globals['run.command'])\n",
                          capture_output=True, text=True, timeout=LONG, check=False, env=bare)
    holds("true\n" in said.stdout and not said.returncode, said)


def pip(place):
    """`pip install` of the source folder into a clean environment, without a network."""
    environment = place.path("environment")
    python = os.path.join(environment, "bin/python")
    bare = {"PATH": os.environ["PATH"], "HOME": place.folder, "TRAMMEL_BUILD": os.path.join(place.build, "pip"),
            **{name: os.environ[name] for name in ("XDG_CACHE_HOME", "CCACHE_DIR") if name in os.environ}}
    if subprocess.run(["/usr/bin/python3", "-m", "venv", environment], capture_output=True, check=False).returncode:
        raise Skip("no python3-venv")
    done = subprocess.run([python, "-m", "pip", "install", "--no-index", ROOT], capture_output=True, text=True, check=False,
                          env=bare)
    holds(not done.returncode, done.stdout[-3000:], done.stderr[-2000:])
    bare["PATH"] = "/usr/bin:/bin"
    said = place.run(python, "-c", "from trammel import control; print(control.__file__); "
                     "print(len(control.measure('true').functions()) > 10)", expected=0, env=bare, cwd=place.folder)
    holds(said.startswith(environment) and said.endswith("True\n"), said)
    command = os.path.join(environment, "bin/trammel")
    place.run(command, "run", "-q", "-m", "calls", "-o", place.path("pip.trm"), "--", "true", expected=0, env=bare)
    holds(place.calls(place.path("pip.trm"), None) > 0)
    said = subprocess.run([command, "script"], input="print(measure('true').globals['run.command'])\n", text=True,
                          capture_output=True, timeout=LONG, check=False, env=bare)
    holds("true\n" in said.stdout and not said.returncode, said)


def test_pbo(place):
    """A control file's profile for compilers: for BOLT or clang by its ending, beside what else is measured."""
    python_of(place)
    program = place.path("optimised")
    subprocess.run(["gcc", "-O1", "-g", "-pthread", "-Wl,--emit-relocs", "-I", os.path.join(ROOT, "include"),
                    os.path.join(SOURCES, "target.c"), "-o", program], check=True)
    for name, form, words in (("flow.fdata", "--fdata", r"^1 \w+ [0-9a-f]+ 1 step 0 0 70$"),
                              ("flow.dat", "--autofdo", r"^step:\d+:70$")):
        with open(place.path("pbo.py"), "w", encoding="ascii") as file:
            file.write(f"application = {program!r}\nmeasurement = \"arcs\"\npbo_out = {place.path(name)!r}\n"
                       f"output = {place.path('pbo.trm')!r}\n")
        done = subprocess.run([place.trammel, "script", place.path("pbo.py")], input="step 70\nexit 6\n",
                              capture_output=True, text=True, timeout=LONG, check=False)
        holds(done.returncode == 6, done)
        text = open(place.path(name), encoding="ascii").read()
        holds(re.search(words, text, re.M), name, text[:3000])
        holds(text == place.run(place.trammel, "pbo", form, place.path("pbo.trm"), expected=0), name)
        holds(place.calls(place.path("pbo.trm"), "step") == 70)


def test_labels(place):
    """Points that a pass in Python chose, by the command and by the module: an analysis counts there."""
    folder, python = python_of(place)
    example = os.path.join(ROOT, "examples/control/calls_pass.py")
    target, labels = place.path("target"), place.path("target.labels")
    said = place.run(place.trammel, "label", "--pass", example, "-o", labels, target, expected=0)
    text = open(labels, encoding="utf-8").read()
    holds(text.endswith(f"next {said}") and 'kind loop_call "arg0"' in text, said, text[:500])
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", os.path.join(SOURCES, "analysis.c"), "-o",
                    place.path("analysis.so")], check=True)
    done = subprocess.run([place.trammel, "run", "-q", "-o", place.path("labels.trm"), "--labels", labels, "--analysis",
                           place.path("analysis.so"), "--", target], input="step 30\nthread 12\nexit 5\n",
                          capture_output=True, text=True, timeout=LONG, check=False)
    counts = {row[0]: (int(row[1]), int(row[2])) for row in map(str.split, done.stderr.splitlines())}
    holds(done.returncode == 5 and counts.get("step", (0, 0))[0] == 42, done)
    # All calls of step are in the loop of many, which the compiler may have put into its callers.
    holds(sum(calls for _, calls in counts.values()) >= 42, counts)
    script = f"""
import runpy, sys
from trammel.labels import LabelError, label
choose = runpy.run_path({example!r})["label"]
print(label({target!r}, choose, {place.path("again.labels")!r}))
def bad(module):
    module.add("entry", next(module).entry)
    module.add("nonsense", next(module).entry)
try:
    label({target!r}, bad, {place.path("bad.labels")!r})
except LabelError as error:
    print(error)
try:
    label({target!r}, lambda module: 1 / 0, {place.path("bad.labels")!r})
except ZeroDivisionError:
    print("raised")
"""
    again = subprocess.run([python, "-c", script], capture_output=True, text=True, timeout=LONG, check=False,
                           env={**os.environ, "PYTHONPATH": folder, "TRAMMEL_PROGRAM": place.trammel})
    holds(again.stdout == f"{said}there is no kind 'nonsense'\nraised\n", again)
    holds(open(place.path("again.labels"), encoding="utf-8").read() == text and not os.path.exists(place.path("bad.labels")))
    with open(place.path("empty.py"), "w", encoding="ascii") as file:
        file.write("x = 1\n")
    done = subprocess.run([place.trammel, "label", "--pass", place.path("empty.py"), "-o", labels, target],
                          capture_output=True, text=True, timeout=LONG, check=False)
    holds(done.returncode == 2 and "has no function label(module)" in done.stderr, done)


# Options of commands that measure which are no knobs, and what they are for programs; None: they are about what is
# printed, which a library does not.
NO_KNOBS = {
    "agent-command": "command; /* a command for the shell instead", "help": None, "host": "*host;",
    "on-crash": "trm_process_debug(", "options": "trm_process_configure(", "output": "trm_process_output(", "pid": "trm_process_attach(",
    "quiet": None, "verbose": None,
}


def test_options(place):
    """Nothing can be measured on a command line alone: each option has its knob, or its function."""
    folder, python = python_of(place)
    script = "import json; from trammel.control import Engine; print(json.dumps(list(Engine().knobs())))"
    knobs = {row["name"]: row for row in json.loads(place.run(python, "-c", script, expected=0, env={
        **os.environ, "PYTHONPATH": folder}))}
    headers = "".join(open(os.path.join(ROOT, "include/trammel", name), encoding="utf-8").read()
                      for name in ("control.h", "control_process.h"))
    seen = set()
    for command in ("run", "attach"):
        told = place.run(place.trammel, command, "--help", expected=0)
        options = dict(re.findall(r"^\s+(?:-\w, )?--([a-z][a-z-]*)(=?)", told, re.M))
        holds(len(options) > 30, told)
        for name, equals in options.items():
            seen.add(name)
            if name in NO_KNOBS:
                holds(name not in knobs and (NO_KNOBS[name] or "") in headers, command, name)
                continue
            holds(name in knobs, f"trammel {command} --{name} is no knob")
            holds((knobs[name]["kind"] == "flag") == (not equals) or name in ("by-region", "calls"), name, knobs[name])
    holds(set(knobs) <= seen and set(NO_KNOBS) <= seen, set(knobs) - seen, set(NO_KNOBS) - seen)


def test_database(place):
    """A profile goes into a database, too."""
    folder, python = python_of(place)
    base = place.path("measured.db")
    script = f"""
from trammel.control import Error, Process
for database in ({base!r}, "/nowhere/at/all.db"):
    process = Process("true", db=database)
    try:
        process.run()
        print(process.wait(60))
    except Error as error:
        print("not run:", error)
"""
    said = place.run(python, "-c", script, expected=0, env={**os.environ, "PYTHONPATH": folder})
    if "SQLite" in said:
        raise Skip("built without SQLite")
    holds(re.fullmatch(r"0\nnot run: .*/nowhere/at/all.db.*\n", said), said)
    holds("true" in place.run(place.trammel, "db", "runs", "--db", base, expected=0))


def test_precedence(place):
    """Built in, the user's file, an option file, the environment, the command line: later ones win."""
    os.makedirs(place.path("config/trammel"))
    with open(place.path("config/trammel/options"), "w", encoding="ascii") as file:
        file.write("measure = blocks\nfrequency = 11\nperiod = 5\nvfreq = 2\nonly = main\nthreads = True\n")
    with open(place.path("more"), "w", encoding="ascii") as file:
        file.write("frequency = 22\nperiod = 6\nvfreq = 3  # comment\nonly = ['st*',\n  \"x\"]\n")
    environment = {**os.environ, "XDG_CONFIG_HOME": place.path("config"), "TRAMMEL_OPTIONS": "--period 7 --vfreq=4"}

    def config(*words):
        said = place.run(place.trammel, "config", *words, env=environment, expected=0)
        return [line.split("  # ") for line in said.splitlines() if not line.startswith("#")]

    found = config("-f", place.path("more"), "--vfreq", "5")
    for name, value, source in (("measure", "blocks", "user's file"), ("frequency", "22", "option file"),
                                ("period", "7", "environment"), ("vfreq", "5", "command line"),
                                ("threads", "true", "user's file"), ("quiet", "false", "built in")):
        holds(any(row[0] == f"{name} = {value}" and row[1].startswith(source) for row in found), name, found)
    holds([row[0] for row in found if row[0].startswith("only")] == ["only = main", 'only = "st*"', "only = x"], found)
    # What it prints is an option file.
    said = place.run(place.trammel, "config", "-f", place.path("more"), env=environment, expected=0)
    with open(place.path("again"), "w", encoding="ascii") as file:
        file.write(said)
    bare = {**environment, "XDG_CONFIG_HOME": place.folder, "TRAMMEL_OPTIONS": ""}
    again = place.run(place.trammel, "config", "-f", place.path("again"), env=bare, expected=0)
    plain = [re.sub(r"  #.*", "", line) for line in said.splitlines() if not line.startswith("#")]
    holds(plain == [re.sub(r"  #.*", "", line) for line in again.splitlines() if not line.startswith("#")], again)
    profile = place.path("precedence.trm")
    del environment["TRAMMEL_OPTIONS"]
    with open(place.path("config/trammel/options"), "w", encoding="ascii") as file:
        file.write("measure = blocks\nregions = nothing\nquiet = true\n")
    with open(place.path("more"), "w", encoding="ascii") as file:
        file.write("measure = calls\n")
    place.run(place.trammel, "run", "-f", place.path("more"), "-o", profile, "--", "true", env=environment, expected=0)
    report = json.loads(place.run(place.trammel, "report", "--json", profile, expected=0))
    holds(report["profile"]["run.measure"].startswith("calls"), report["profile"])
    with open(place.path("more"), "w", encoding="ascii") as file:
        file.write("\nmesure = calls\n")
    done = subprocess.run([place.trammel, "run", "-f", place.path("more"), "--", "true"], capture_output=True,
                          text=True, check=False)
    holds(done.returncode == 2 and "line 2: there is no option 'mesure': is 'measure' meant?" in done.stderr, done)


# Ends of an interpreter while a program runs, or stands at a breakpoint.
ENDS = {"exit": ("sys.exit(3)", 3), "quickly": ("os._exit(4)", 4), "killed": ("os.kill(os.getpid(), 9)", -9),
        "raises": ("raise ValueError('no')", 1), "thread": ("threading.Thread(target=process.wait).start(); os._exit(5)", 5)}
ENDING = """
import os, sys, threading
from trammel.control import Process
process = Process({target!r}, stdin={fifo!r}, stdout="relay", output={profile!r})
process.run()
keep = os.open({fifo!r}, os.O_WRONLY)
while process.engine.wait(60).data != b"ready\\n":
    pass
print(process.pid, flush=True)
if {stands}:
    process.break_at("target:step")
    os.write(keep, b"step 4\\n")
    while process.engine.wait(60).kind != "breakpoint":
        pass
{end}
"""


def test_interpreter_ends(place):
    """However an interpreter ends, the program goes on, and is measured to its end."""
    folder, python = python_of(place)
    for name, (end, status) in ENDS.items():
        for stands in (False, True):
            fifo, profile = place.path(f"{name}{stands}.fifo"), place.path(f"{name}{stands}.trm")
            os.mkfifo(fifo)
            keep = os.open(fifo, os.O_RDWR)
            script = ENDING.format(target=place.path("target"), fifo=fifo, profile=profile, stands=stands, end=end)
            # The agent, which stays, has the same output.
            with open(place.path("said"), "w+", encoding="ascii") as file:
                done = subprocess.run([python, "-c", script], stdout=file, stderr=subprocess.DEVNULL, timeout=LONG,
                                      check=False, env={**os.environ, "PYTHONPATH": folder})
                file.seek(0)
                said = file.read().strip()
            holds(done.returncode == status and said.isdigit(), name, done, said)
            os.write(keep, b"step 3\nexit 0\n")
            wait_for(lambda pid=int(said): is_gone(pid), f"the program's end: {name}, {stands}")
            os.close(keep)
            wait_for(lambda path=profile: os.path.exists(path), "the profile")
            holds(place.calls(profile, "step") == (7 if stands else 3), name, stands, place.calls(profile, "step"))
