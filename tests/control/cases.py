"""Uses trammel.control; the folder of `target` is the first word. Prints `case NAME ok` for each."""

import ast
import doctest
import gc
import inspect
import os
import random
import signal
import subprocess
import sys
import threading
import time

from trammel import control, labels
from trammel.control import (Engine, Error, FormatError, GoneError, LimitError, Measurements, Process, Profile, SystemCallError,
                             UnsupportedError, UsageError, measure, merge)

TARGET = os.path.join(sys.argv[1], "target")


def fails(kind, words, call, *arguments, **more):
    try:
        call(*arguments, **more)
    except kind as error:
        assert words in str(error) and "\n" not in str(error), error
        return
    raise AssertionError(f"no {kind.__name__}")


def start(**more):
    process = Process(TARGET, stdin="relay", stdout="relay", **more)
    return process


def say(process, line, end=b"done\n"):
    if line:
        process.write(line + "\n")
    said = b""
    while not said.endswith(end):
        event = process.engine.wait(30)
        assert event is not None
        if event.process is process and event.kind == "output":
            said += event.data
    return said


def steps(records):
    return sum(row["calls"] for row in records if row["function"] == "step")


def case_counting():
    process = start()
    process.run(paused=True)
    say(process, "", b"ready\n")
    say(process, "step 5")
    process.resume()
    say(process, "step 20")
    assert steps(process.read()) == 20
    process.pause()
    say(process, "thread 7")
    process.resume()
    process.reset()
    say(process, "step 3")
    assert steps(process.read()) == 3
    process.close_input()
    assert process.wait(30) == 0
    assert steps(process.profile().functions()) == 23


def case_callbacks():
    seen = []
    with Engine() as engine, Process("sh", ["-c", "echo one; kill -9 $$"], engine=engine, stdout="relay") as process:
        engine.on("output", lambda event: seen.append(event.data))
        engine.on("started", lambda event: seen.append(event.process is process))
        process.run()
        assert process.wait(30) == -signal.SIGKILL
        assert seen[:2] == [True, b"one\n"], seen
        assert [event.kind for event in engine.events()][-1] == "measured"
        engine.on("user", lambda event: 1 / 0)
        engine.post(3, "three")
        fails(ZeroDivisionError, "division", engine.wait, 5)
        engine.on("user", lambda event: engine.wait(0))
        engine.post()
        fails(UsageError, "callback", engine.wait, 5)
        engine.on("user", None)
        engine.post(7, "x")
        event = engine.wait(5)
        assert (event.kind, event.value, event.text) == ("user", 7, "x") and event.context[1] > 0
        fails(UsageError, "no events 'nonsense'", engine.on, "nonsense", print)


def case_errors():
    fails(SystemCallError, "/nowhere", Process("/nowhere").run)
    fails(OSError, "/nowhere", Process("/nowhere").run)
    fails(UsageError, "either a program or a pid", Process)
    fails(UsageError, "'threads'", Process, "true", thread=True)
    fails(UsageError, "not a time", Process, "true", after="soon")
    fails(UnsupportedError, "without a tracer", sampled)
    fails(TypeError, "", control._control.process_kill, "text")
    fails(UsageError, "an engine was given", control._control.process_kill, control.default_engine()._ticket)
    process = Process("true")
    process.release()
    process.release()
    fails(UsageError, "released", process.run)
    fails(SystemCallError, "/nowhere.trm", Profile, "/nowhere.trm")
    fails(UsageError, "on_loss", Engine, on_loss="shrug")
    fails(GoneError, "no trammel answers", Engine, command="true")
    fails(UsageError, "not a host", Engine, host="-oProxyCommand=x")
    for name, kind, words in (("old", UnsupportedError, "install the same trammel"), ("huge", LimitError, "claims to have"),
                              ("half", GoneError, "middle of a message"), ("garbage", FormatError, "no message")):
        agents = os.path.join(os.path.dirname(os.path.abspath(__file__)), "agents.py")
        fails(kind, words, Engine, command=f"exec {sys.executable} {agents} {name}")
    assert issubclass(LimitError, Error)


def sampled():
    process = Process("sleep", ["5"], measure="regions")
    process.run()
    try:
        process.pause()
    finally:
        process.kill()
        process.wait(30)


def case_knobs():
    process = Process("true")
    assert process.configuration["frequency"] == "1000" and "start_at" in process.configuration
    process.configuration["only"] = ["main", "step*"]
    assert process.configuration["only"] == "main,step*"
    del process.configuration["only"]
    assert process.configuration["only"] == ""
    fails(KeyError, "nonsense", lambda: process.configuration["nonsense"])
    chosen = Measurements("calls", "edges")
    assert "calls" in chosen and chosen.why_not("memory") is None and "waits" in chosen.why_not("waits")
    process.measure(chosen)
    process.run()
    assert process.wait() == 0 and process.profile().globals["run.measure"] == "calls,edges"


def case_records():
    profile = measure("ls", ["/"], "calls,edges", stdout="null")
    functions = profile.functions()
    assert len(functions) > 50 and functions.columns == ["module", "function", "calls"]
    assert sum(functions.column("calls")) > 100 and len(functions[:3]) == 3
    assert "<table>" in functions._repr_html_() and "more</p>" in functions._repr_html_()
    assert "on " in profile._repr_html_()
    assert profile.arcs() and profile.blocks() and profile.edges() and len(profile.records()) > 50
    fails(UsageError, "character", profile.query, "SELECT sum(")
    try:
        array = functions.to_numpy()
    except ImportError:
        print("no NumPy")
    else:
        assert array["calls"].sum() == sum(functions.column("calls")) and array.dtype["calls"].kind == "i"
    try:
        frame = profile.to_pandas()
    except ImportError:
        print("no pandas")
    else:
        assert list(frame.columns) == functions.columns and len(frame) == len(functions)


def case_trees():
    """What was counted by path, and pages of it, in which no name is taken for a tag."""
    process = start(measure="callgraph,regions")
    process.run()
    say(process, "", b"ready\n")
    for name in ("outer", "outer", "a/b", "<b>&"):
        say(process, f"region {name}")
    process.close_input()
    process.wait(60)
    profile = process.profile()
    tree = profile.tree()
    assert {"outer", "a/b", "<b>&"} <= {child.name for child in tree}, tree.children
    assert tree["outer"].values["count"] == 2 and "nothing" not in tree
    calls = {path: at.values["graph.calls"] for path, at in tree.walk() if "graph.calls" in at.values}
    assert sum(count for path, count in calls.items() if path[-1] == "step") == 4
    assert tree.total("graph.calls") == sum(calls.values())
    page = tree._repr_html_(100000)
    assert "&lt;b&gt;&amp;" in page and "<b>" not in page, page
    assert page.count("<details") == page.count("</details>") == len(list(tree.walk())) - 1 and "more</p>" in tree._repr_html_(2)
    assert profile._repr_html_().count("<details") == 100
    row = next(row for row in tree.records() if row["path"] == "outer")
    assert row["count"] == 2
    assert repr(control.Tree.of([(["<x>"], {"n": 1.5, "text": "t"})])._repr_html_()).count("&lt;x&gt;") == 1
    odd = control.Records([{"<i>": "<script>", "n": 1}])._repr_html_()
    assert "<i>" not in odd and "<script>" not in odd and "&lt;script&gt;" in odd


def case_merge():
    paths = []
    for number in range(2):
        with Process("true", engine=Engine(name=f"host{number}")) as process:
            process.run()
            process.wait()
            paths.append(os.path.join(sys.argv[1], f"part{number}.trm"))
            process.save(paths[-1])
    whole = merge(paths, os.path.join(sys.argv[1], "whole.trm"))
    assert {row["host"] for row in whole.query("SELECT host WHERE host")} == {"host0", "host1"}


def case_attach():
    with subprocess.Popen([TARGET], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout.readline() == b"ready\n"
        process = Process(pid=program.pid)
        process.run()
        program.stdin.write(b"step 11\n")
        program.stdin.flush()
        assert program.stdout.readline() == b"done\n"
        assert steps(process.read()) == 11
        with Engine() as engine:
            fails(UnsupportedError, "measured already", Process(pid=program.pid, engine=engine).run)
        process.detach()
        fails(LimitError, "goes on", start_and_wait)
        process.wait(30)
        program.stdin.write(b"step 11\nexit 2\n")
        program.stdin.close()
        assert program.wait() == 2
        assert steps(process.profile().functions()) == 11


def start_and_wait():
    with Process("sleep", ["3"]) as other:
        other.run()
        try:
            other.wait(0.05)
        finally:
            other.kill()
            other.wait(30)


class Model:
    """What a process of the library must be like, however it is used."""

    def __init__(self, random):
        self.random = random
        self.process = start()
        self.state, self.counting, self.since, self.total = "new", True, 0, 0

    def expect(self, right, call, *arguments):
        """The call goes well, or is a UsageError; whether it does."""
        if right:
            return call(*arguments) or True
        fails((UsageError, GoneError), "", call, *arguments)
        return False

    def do_run(self):
        if self.expect(self.state == "new", self.process.run):
            say(self.process, "", b"ready\n")
            self.state = "running"

    def do_step(self):
        count = self.random.randrange(50)
        if self.state == "running":
            say(self.process, f"{self.random.choice(['step', 'thread', 'fork'])} {count}")
            self.since += count if self.counting else 0
            self.total += count if self.counting else 0

    def do_pause(self):
        if self.expect(self.state == "running" and self.counting, self.process.pause):
            self.counting = False

    def do_resume(self):
        if self.expect(self.state == "running" and not self.counting, self.process.resume):
            self.counting = True

    def do_reset(self):
        if self.expect(self.state == "running" and self.counting, self.process.reset):
            self.since = 0

    def do_read(self):
        found = self.expect(self.state == "running", self.process.read)
        assert not found or steps(found) == self.since, (steps(found), self.since)

    def do_profile(self):
        found = self.expect(self.state == "over", self.process.profile)
        assert not found or steps(found.functions()) == self.total

    def do_knob(self):
        self.expect(self.state == "new", self.process.configuration.__setitem__, "memory", "500M")

    def do_end(self):
        if self.state == "running" and self.random.random() < 0.3:
            self.process.close_input()
            assert self.process.wait(30) == 0
            self.state = "over"

    def do_wait(self):
        if self.state == "over":
            assert self.process.wait(0) == 0
        elif self.state == "running":
            fails(LimitError, "goes on", self.process.wait, 0.01)


def case_random():
    """Random calls, right ones and others, against a model."""
    for seed in range(4):
        model = Model(random.Random(seed))
        names = [name for name in dir(model) if name.startswith("do_")]
        model.do_knob()
        for _ in range(30):
            getattr(model, model.random.choice(names))()
        model.process.release()
        fails(UsageError, "released", model.process.run)


def case_stops():
    process = start()
    process.run()
    say(process, "", b"ready\n")
    number = process.break_at("step", ignore=4)
    process.write("step 8\n")
    event = process.engine.wait(30)
    while event.kind != "breakpoint":
        event = process.engine.wait(30)
    assert event.value == number and process.registers(event.tid)["rip"] == event.address
    assert event.tid in process.threads().column("tid")
    module = next(row for row in process.modules() if row["path"] == TARGET)
    assert module["from"] <= event.address < module["to"] and len(process.read_memory(event.address, 16)) == 16
    process.unbreak(number)
    process.go()
    say(process, "")
    process.close_input()
    process.wait(30)
    assert steps(process.profile().functions()) == 8


def case_debugger():
    """The debugger's messages, as `trammel debug` sends them: a kind, 4 bytes of length, a text."""
    process = start()
    process.debug()
    process.run()

    def command(line):
        process.say(b"l" + len(line).to_bytes(4, "little") + line.encode())

    def told(words):
        said = b""
        while words not in said:
            event = process.engine.wait(60)
            assert event is not None, said
            said += event.data if event.kind == "output" and event.value == 3 else b""
        return said

    told(b"ld-linux")
    command("break step")
    told(b"Breakpoint 1")
    command("continue")
    process.write("step 1\n")
    told(b"Breakpoint 1, thread")
    fails(UsageError, "run already", process.debug)
    command("detach")
    say(process, "")
    process.close_input()
    assert process.wait(60) == 0


def case_saving():
    """Profiles while a process is measured, one that stays, stacks, and a module of the engine's host."""
    saved, module = (os.path.join(sys.argv[1], name) for name in ("saved.trm", "module"))
    with Process("sleep", ["600"]) as process:  # with no streams, and so until it is killed
        process.save_every(0.05)
        for call in (process.save_every, process.engine.timer):
            fails(UsageError, "no such period", call, -1)
            fails(OverflowError, "too big", call, 1e30)
        fails(ValueError, "not negative", process.break_at, "step", -1)
        fails(ValueError, "not negative", process.read_memory, 0, -1)
        fails(UsageError, "not run yet", process.saved, saved)
        process.run()
        until = time.monotonic() + 60
        while True:
            try:
                assert process.saved(saved) > 0
                break
            except GoneError:
                assert time.monotonic() < until
                time.sleep(0.02)
        assert "functions" in Profile(saved).globals["run.measure"], Profile(saved).globals
        process.kill()
    with start() as process:
        process.run()
        say(process, "", b"ready\n")
        with Process(pid=process.pid) as other:
            other.stacks()
            said = b""
            while (event := process.engine.wait(60)).kind != "measured" or event.process is not other:
                said += event.data if event.process is other and event.kind == "output" else b""
            assert b"main" in said, said
        process.close_input()
        process.wait(60)
        kept = process.keep()
        fails(GoneError, "", process.engine.module, TARGET, "00", module)
        notes = subprocess.run(["readelf", "-n", TARGET], capture_output=True, text=True, check=True).stdout
        process.engine.module(TARGET, notes.split("Build ID: ")[1].split()[0], module)
        assert open(module, "rb").read() == open(TARGET, "rb").read()
    assert steps(Profile(kept).functions()) == 0
    os.unlink(kept)


def next_event(process, kind):
    """The next event of a kind; others before it go."""
    while True:
        event = process.engine.wait(60)
        assert event is not None, kind
        if event.process is process and event.kind == kind:
            return event


def case_kinds():
    """Each kind of event, in the order in which the program makes them happen."""
    process = start(measure="functions,regions")
    process.watch()
    process.watch_regions()
    process.stop()
    process.run()
    assert next_event(process, "exec").text == TARGET
    assert next_event(process, "stopped").pid == process.pid
    process.reach("target:step", 3)
    process.first_call("loaded.so:loaded")
    fails(UsageError, "no function", process.break_at, "target:stop")
    process.go()
    say(process, "", b"ready\n")
    process.write("region solve\nstep 5\n")
    began = next_event(process, "annotation")
    assert (began.text, began.value) == ("region=solve", 1) and next_event(process, "annotation").value == 0
    event = next_event(process, "counter")
    assert (event.value, event.text) == (3, "target:step") and event.address
    assert steps(process.read()) in (2, 3)
    process.go()
    process.write(f"thread 1\nfork 2\nraise {int(signal.SIGUSR1)}\n")
    thread = next_event(process, "thread")
    assert next_event(process, "thread ended").tid == thread.tid != process.pid
    fork = next_event(process, "fork")
    ended = next_event(process, "ended")
    assert (fork.pid, ended.pid, ended.value) == (process.pid, fork.value, 0)
    assert next_event(process, "signal").value == signal.SIGUSR1
    process.go()
    process.write(f"load {os.path.join(sys.argv[1], 'loaded.so')}\nbecome\n")
    assert next_event(process, "loaded").text.endswith("/loaded.so")
    assert next_event(process, "function").text == "loaded.so:loaded"
    assert next_event(process, "unloaded").text.endswith("/loaded.so")
    assert next_event(process, "exec").text == TARGET
    process.close_input()
    assert process.wait(60) == 0 and next_event(process, "ended").pid == process.pid
    assert next_event(process, "measured").value == 0
    assert steps(process.profile().functions()) == 9


def case_threads():
    """Others run, and Ctrl-C is heard, while one waits."""
    engine = Engine()
    done = []
    thread = threading.Thread(target=lambda: done.append(engine.wait(30)))
    thread.start()
    time.sleep(0.05)
    engine.post(1, "woken")
    thread.join()
    assert done[0].text == "woken"
    threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]).start()
    fails(KeyboardInterrupt, "", engine.wait, 30)


def case_released():
    """A program whose process was released runs on, whatever becomes of its output."""
    path = os.path.join(sys.argv[1], "released")
    process = Process("sh", ["-c", f"sleep 0.3; seq 30000; echo on > {path}"], stdout="relay")
    process.run()
    del process
    gc.collect()
    until = time.monotonic() + 60
    while not os.path.exists(path):
        assert time.monotonic() < until
        time.sleep(0.02)


def check_stub(module):
    tree = ast.parse(open(os.path.splitext(module.__file__)[0] + ".pyi", encoding="utf-8").read())
    told = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    for name in module.__all__:
        thing = getattr(module, name)
        assert name in told, name
        if not inspect.isclass(thing):
            assert [arg.arg for arg in told[name].args.args] == \
                [p.name for p in inspect.signature(thing).parameters.values() if p.kind == p.POSITIONAL_OR_KEYWORD], name
            continue
        methods = {node.name for node in told[name].body if isinstance(node, ast.FunctionDef)}
        for member, value in vars(thing).items():
            if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                assert member in methods, f"{name}.{member}"


def case_stubs():
    """The stubs have the classes of the modules, with their methods and parameters."""
    check_stub(control)
    check_stub(labels)


def case_documented():
    assert doctest.testmod(control).failed == 0
    for module in (control, labels):
        for name in module.__all__:
            assert inspect.getdoc(getattr(module, name)), name


for case, run in list(globals().items()):
    if case.startswith("case_"):
        run()
        print("case", case[5:], "ok", flush=True)
