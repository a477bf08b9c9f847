"""Measuring programs from Python: what `trammel run` and `trammel attach` do, as classes.

    >>> from trammel.control import Process
    >>> process = Process("true", measure="functions")
    >>> process.run()
    >>> process.wait()
    0
    >>> profile = process.profile()
    >>> profile.functions()[0]["calls"] > 0
    True

An `Engine` is a process of its own that measures, on this host or another one; without one a `Process` has that of this
host, which all share. Events come when somebody waits: `Process.wait`, `Engine.wait`, `Engine.events`. Exceptions are
`Error`s by their code. Objects are context managers, and release what they have at their end.

What is measured runs on when the interpreter ends, unless the engine was opened with on_loss="detach" or "kill".
"""

import atexit
import collections
import collections.abc
import html
import os
import signal as signals
import time
import weakref

from trammel import _control

__all__ = ["Engine", "Process", "Event", "Measurements", "Profile", "Records", "Tree", "Error", "UsageError", "SystemCallError",
           "FormatError", "UnsupportedError", "GoneError", "LimitError", "measure", "merge", "default_engine"]

# How long the library waits before the interpreter looks for signals: Ctrl-C.
_SLICE_MS = 100


class Error(Exception):
    """What went wrong, in one line. `code`: "usage", "system", ...; `errno`: of a system call, or 0."""

    code = "error"

    def __init__(self, message, number=0):
        super().__init__(message)
        self.errno = number


class UsageError(Error, ValueError):
    """The request is wrong: also an object that was released."""

    code = "usage"


class SystemCallError(Error, OSError):
    """A system call failed; see `errno`."""

    code = "system"

    def __init__(self, message, number=0):
        Error.__init__(self, message, number)

    def __str__(self):
        return self.args[0]


class FormatError(Error):
    """A file, or a message, is damaged."""

    code = "format"


class UnsupportedError(Error):
    """Right, but not possible: here, or with this version."""

    code = "unsupported"


class GoneError(Error):
    """The process, or the engine, has ended."""

    code = "gone"


class LimitError(Error):
    """More than is allowed; a wait that took too long."""

    code = "limit"


_BY_CODE = (UsageError, SystemCallError, FormatError, UnsupportedError, GoneError, LimitError)


def _make_exception(code, number, message):
    kind = _BY_CODE[code] if 0 <= code < len(_BY_CODE) else Error
    return kind(message, number)


_control.set_exceptions(_make_exception)

_LOSSES = {"go on": 0, "detach": 1, "kill": 2}
_KINDS = tuple(getattr(_control, f"EVENT_{kind}") for kind in range(_control.EVENT_COUNT))
_REDIRECTIONS = {"inherit": 0, "null": 1, "file": 2, "relay": 3}
_STREAMS = {"stdin": 0, "stdout": 1, "stderr": 2}


def _milliseconds(seconds):
    return -1 if seconds is None else max(0, int(seconds * 1000))


class Event:
    """What happened. `kind`: "started", "ended", "measured", "output", "timer", "user", ...; `process`: a Process, or
    None; `context`: (address, time in ns since 1970, number); `value`, `text`, `data`, `pid`, `tid`, `failure`."""

    __slots__ = ("kind", "text", "process", "number", "time_ns", "address", "value", "pid", "tid", "data", "failure")

    def __init__(self, described, process):
        kind, self.text, _, self.number, self.time_ns, self.address, self.value, self.pid, self.tid, self.data, \
            self.failure = described
        self.kind = _KINDS[kind]
        self.process = process

    @property
    def context(self):
        return self.address, self.time_ns, self.number

    def __repr__(self):
        about = "".join(f", {name}={value!r}" for name in ("pid", "value", "text", "failure")
                        if (value := getattr(self, name)))
        return f"<Event {self.kind}{about}>"


class Records(collections.abc.Sequence):
    """Records: a sequence of dicts. `columns` are all names, in the order in which they come."""

    def __init__(self, rows):
        self._rows = list(rows)
        self.columns = list(dict.fromkeys(name for row in self._rows for name in row))

    @classmethod
    def _take(cls, ticket):
        return cls(_control.records_take(ticket))

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, index):
        return Records(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def column(self, name):
        """The values of one name, None where a record has none."""
        return [row.get(name) for row in self._rows]

    def to_pandas(self):
        """A pandas.DataFrame. ImportError: pandas is not installed."""
        import pandas  # pylint: disable=import-outside-toplevel
        return pandas.DataFrame(self._rows, columns=self.columns)

    def to_numpy(self):
        """A structured numpy array. ImportError: NumPy is not installed."""
        import numpy  # pylint: disable=import-outside-toplevel
        kinds = []
        for name in self.columns:
            values = [value for value in self.column(name) if value is not None]
            plain = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
            whole = plain and len(values) == len(self) and all(isinstance(value, int) for value in values)
            kinds.append((name, "i8" if whole and all(-2**63 <= v < 2**63 for v in values) else
                          "f8" if plain and values else object))
        array = numpy.empty(len(self), dtype=kinds)
        for name, kind in kinds:
            missing = float("nan") if kind == "f8" else None
            array[name] = [missing if value is None else value for value in self.column(name)]
        return array

    def _repr_html_(self, most=50):
        def cell(value):
            if value is None:
                return "<td></td>"
            align = ' style="text-align:right"' if isinstance(value, (int, float)) else ""
            shown = f"{value:,}" if isinstance(value, int) else str(value)
            return f"<td{align}>{html.escape(shown)}</td>"

        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        rows = "".join("<tr>" + "".join(cell(row.get(name)) for name in self.columns) + "</tr>"
                       for row in self._rows[:most])
        more = f"<p>{len(self) - most:,} more</p>" if len(self) > most else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"

    def __repr__(self):
        return f"<Records: {len(self)} of {', '.join(self.columns[:6])}{', ...' if len(self.columns) > 6 else ''}>"


class Tree:
    """What was counted by path: a root, whose `children` are Trees, each with a `name` and `values` of its own, a dict of
    sums. `tree["main"]["solve"]` is a part of it, `tree.total("calls")` the sum of all in it."""

    # Numbers that say where something is.
    _PLACES = frozenset(["image", "offset", "thread", "interval", "process", "rank", "block", "graph.offset"])

    def __init__(self, name=""):
        self.name = name
        self.values = {}
        self._children = {}

    @classmethod
    def of(cls, rows):
        """A tree of (path, values) pairs: a sequence of names, outermost first, and a mapping, of which numbers are added
        up."""
        root = cls()
        for path, values in rows:
            at = root
            for name in path:
                below = at._children.get(str(name))
                at = at._add(str(name)) if below is None else below
            for name, value in values.items():
                if isinstance(value, (int, float)) and not isinstance(value, bool) and name not in cls._PLACES:
                    at.values[name] = at.values.get(name, 0) + value
        return root

    def _add(self, name):
        child = self._children[name] = Tree(name)
        return child

    @property
    def children(self):
        return list(self._children.values())

    def __getitem__(self, name):
        return self._children[name]

    def __contains__(self, name):
        return name in self._children

    def __iter__(self):
        return iter(self._children.values())

    def __len__(self):
        return len(self._children)

    def __bool__(self):
        return bool(self._children or self.values)

    def walk(self):
        """(path, Tree) of each part, a tuple of names; parents come first."""
        left = [((), self)]
        while left:
            path, at = left.pop()
            yield path, at
            left.extend(((*path, child.name), child) for child in reversed(at.children))

    def total(self, name):
        """The sum of a value here and in all below."""
        return sum(at.values.get(name, 0) for _, at in self.walk())

    def records(self):
        """Records of path, with " / " between names, and the values."""
        return Records({"path": " / ".join(path), **at.values} for path, at in self.walk() if at.values)

    def to_pandas(self):
        """`records()` as a pandas.DataFrame."""
        return self.records().to_pandas()

    def _line(self):
        values = ", ".join(f"{html.escape(name)} {value:,}" for name, value in self.values.items())
        return f"<strong>{html.escape(self.name)}</strong> {values}"

    def _repr_html_(self, most=500, open_levels=3):
        parts, level, shown, hidden = [], 0, 0, 0
        for path, at in self.walk():
            if not path:
                continue
            if shown == most:
                hidden += 1
                continue
            shown += 1
            while level >= len(path):
                parts.append("</details>")
                level -= 1
            leaf = "" if at.children else ' style="list-style:none"'
            parts.append(f"<details style=\"margin-left:1em\"{' open' if level < open_levels else ''}>"
                         f"<summary{leaf}>{at._line()}</summary>")
            level += 1
        parts.append("</details>" * level)
        return "".join(parts) + (f"<p>{hidden:,} more</p>" if hidden else "")

    def __repr__(self):
        return f"<Tree {self.name!r}: {len(self)} children>"


class _Object:
    """What has a ticket of the library."""

    _release = None

    def __init__(self, ticket):
        self._ticket = ticket
        self._finalizer = weakref.finalize(self, type(self)._release, ticket)

    def release(self):
        """Releases it; later uses are UsageErrors. More often does nothing."""
        self._finalizer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.release()


class Engine(_Object):
    """A process that measures: of this host, of another `host` (by ssh), or behind a `command` for the shell.

    `name`: what profiles call the host. `on_loss`: what becomes of programs when this process ends: "go on", "detach",
    "kill". `linger`: seconds for which a far engine may be out of reach."""

    _release = staticmethod(_control.engine_release)

    def __init__(self, host=None, command=None, name=None, on_loss="go on", linger=0, program=None):
        if on_loss not in _LOSSES:
            raise UsageError(f"on_loss is one of {', '.join(_LOSSES)}, not '{on_loss}'")
        super().__init__(_control.engine_open(host, command, name, _LOSSES[on_loss], linger, program))
        self._processes = weakref.WeakValueDictionary()
        self._callbacks = {}
        self._waiting = collections.deque()
        self._calling = False

    @property
    def host(self):
        return _control.engine_host(self._ticket)

    @property
    def version(self):
        return _control.engine_version(self._ticket)

    def fileno(self):
        """A descriptor that can be read when there is something to wait for: for select and asyncio."""
        return _control.engine_descriptor(self._ticket)

    def measurements(self):
        """What can be measured: records of name and about."""
        return Records._take(_control.engine_measurements(self._ticket))

    def knobs(self):
        """The knobs of configurations: records of name, kind, adds, default and about."""
        return Records._take(_control.engine_knobs(self._ticket))

    def on(self, kind, callback):
        """Has events of a kind go to `callback(event)`, in the thread that waits; None: no more. What it raises comes
        out of the wait."""
        if kind not in _KINDS[1:]:
            raise UsageError(f"there are no events '{kind}': {', '.join(_KINDS[1:])}")
        self._callbacks[kind] = callback

    def post(self, value=0, text=""):
        """Puts an event of one's own ("user") behind those that there are."""
        _control.engine_post(self._ticket, value, text)

    def timer(self, seconds):
        """Has the engine make an event ("timer") so often; 0: no more."""
        _control.engine_timer(self._ticket, int(seconds * 1e9))

    def module(self, path, build_id, to, debug=False):
        """Brings a module of the engine's host here, or with `debug` the file of its debug information: to the file `to`,
        whole or not at all. GoneError: there is none of this build there."""
        _control.engine_module(self._ticket, os.fspath(path), build_id, debug, os.fspath(to))

    def interrupt(self):
        """Lets a wait of another thread return without an event."""
        _control.engine_interrupt(self._ticket)

    def _next(self, timeout_ms):
        """The next event that no callback wants; None: there was none. Those that are there already come in any case."""
        while (described := _control.engine_wait(self._ticket, timeout_ms)) is not None:
            event = Event(described, self._processes.get(described[2]))
            callback = self._callbacks.get(event.kind)
            if callback is None:
                return event
            if self._calling:
                self._waiting.append(event)
                return None
            self._calling = True
            try:
                callback(event)
            finally:
                self._calling = False
            timeout_ms = 0
        return None

    def _check_wait(self):
        if self._calling:
            raise UsageError("a callback cannot wait for events: return, and wait there")

    def wait(self, timeout=None):
        """The next event; None: there was none within `timeout` seconds."""
        self._check_wait()
        if self._waiting:
            return self._waiting.popleft()
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _SLICE_MS if until is None else _milliseconds(until - time.monotonic())
            event = self._next(min(left, _SLICE_MS))
            if event is not None or (until is not None and time.monotonic() >= until):
                return event

    def events(self, timeout=0):
        """Events one by one, until none comes within `timeout` seconds."""
        while (event := self.wait(timeout)) is not None:
            yield event

    def _gather(self, process, until):
        """Waits for the end of a measurement; events stay for `wait`."""
        self._check_wait()
        while process.running:
            left = _SLICE_MS if until is None else _milliseconds(until - time.monotonic())
            if until is not None and left <= 0:
                raise LimitError("the measurement goes on: it was not over by then")
            event = self._next(min(left, _SLICE_MS))
            if event is not None:
                self._waiting.append(event)


class Measurements(_Object):
    """A set of measurements, made together in one run."""

    _release = staticmethod(_control.measurements_release)

    def __init__(self, *names, engine=None):
        self._engine = engine or default_engine()
        super().__init__(_control.measurements_create(self._engine._ticket))
        for name in names:
            self.add(name)

    def add(self, name):
        """Adds one; the UsageError says why it cannot be made with the others."""
        _control.measurements_add(self._ticket, name)

    def why_not(self, name):
        """Why one cannot be made with the others; None: it can."""
        try:
            _control.measurements_check(self._ticket, name)
        except UsageError as error:
            return str(error)
        return None

    def remove(self, name):
        _control.measurements_remove(self._ticket, name)

    def __iter__(self):
        return iter(filter(None, str(self).split(",")))

    def __contains__(self, name):
        return name in list(self)

    def __str__(self):
        return _control.measurements_names(self._ticket)


class Configuration(collections.abc.MutableMapping):
    """The knobs of a process: all options of `trammel run`, `_` for `-`. Values of those that add up are added; `del` takes
    all away."""

    def __init__(self, process):
        self._process = process
        self._names = [row["name"].replace("-", "_") for row in process.engine.knobs()]

    def __getitem__(self, name):
        if name.replace("-", "_") not in self._names:
            raise KeyError(name)
        return _control.process_get(self._process._ticket, name)

    def __setitem__(self, name, value):
        for one in value if isinstance(value, (list, tuple)) else [value]:
            _control.process_set(self._process._ticket, name, str(one).lower() if isinstance(one, bool) else str(one))

    def __delitem__(self, name):
        _control.process_set(self._process._ticket, name, None)

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)

    def read(self, path):
        """Takes an option file: lines `name = value`."""
        _control.process_configure(self._process._ticket, os.fspath(path))


class Process(_Object):
    """A program that is to be measured: `Process("gzip", ["-6k", "FILE"], measure="calls", threads=True)`; further names
    are knobs. `stdin`, `stdout`, `stderr`: "inherit", "null", "relay", or a path. `Process(pid=4711)`: one that runs
    already. It is measured when `run` says so."""

    _release = staticmethod(_control.process_release)

    def __init__(self, program=None, arguments=(), *, pid=None, engine=None, measure=None, environment=None,
                 directory=None, output=None, stdin=None, stdout=None, stderr=None, **knobs):
        if (program is None) == (pid is None):
            raise UsageError("either a program or a pid is to be measured")
        self.engine = engine or default_engine()
        if pid is None:
            words = [os.fspath(program), *map(os.fspath, arguments)]
            super().__init__(_control.process_create(self.engine._ticket, words))
        else:
            super().__init__(_control.process_attach(self.engine._ticket, pid))
        self.engine._processes[self._ticket] = self
        self.status = None
        if measure is not None:
            self.measure(measure)
        for name, value in (environment or {}).items():
            _control.process_environment(self._ticket, name, value)
        if directory is not None:
            _control.process_directory(self._ticket, os.fspath(directory))
        if output is not None:
            _control.process_output(self._ticket, os.fspath(output))
        for stream, how in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
            if how is not None:
                self.redirect(stream, how)
        for name, value in knobs.items():
            self.configuration[name] = value

    @property
    def configuration(self):
        """The knobs, as a mapping."""
        return Configuration(self)

    def measure(self, what):
        """What is measured: names with commas between them, a sequence of names, or Measurements."""
        if isinstance(what, Measurements):
            _control.process_measure(self._ticket, what._ticket)
        else:
            self.configuration["measure"] = what if isinstance(what, str) else ",".join(what)

    def redirect(self, stream, how):
        """Where "stdin", "stdout" or "stderr" comes from or goes: "inherit", "null", "relay" (events of kind "output"; for
        "stdin" `write`), or a path."""
        if stream not in _STREAMS:
            raise UsageError(f"there is no stream '{stream}': {', '.join(_STREAMS)}")
        known = isinstance(how, str) and how in _REDIRECTIONS and how != "file"
        _control.process_redirect(self._ticket, _STREAMS[stream], _REDIRECTIONS[how] if known else 2,
                                  None if known else os.fspath(how))

    def run(self, paused=False):
        """Starts the program, or the measurement of the process. `paused`: nothing is counted before `resume`."""
        if paused:
            _control.process_pause_first(self._ticket)
        _control.process_run(self._ticket)

    @property
    def pid(self):
        return _control.process_pid(self._ticket) or None

    @property
    def running(self):
        """Whether it is measured now."""
        return _control.process_state(self._ticket) == 1

    @property
    def refused(self):
        """126 or 127, as a shell says that a program could not be run; else 0."""
        return _control.process_refused(self._ticket)

    def wait(self, timeout=None):
        """Waits until the measurement is over; callbacks are called meanwhile. Returns how the program ended: its status,
        or the number of a signal, negative. LimitError: it took more than `timeout` seconds."""
        self.engine._gather(self, None if timeout is None else time.monotonic() + timeout)
        status = _control.process_wait(self._ticket, 0)
        self.status = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        return self.status

    def write(self, data):
        """Writes to standard input, which is "relay"."""
        if data:
            _control.process_write(self._ticket, data.encode() if isinstance(data, str) else data)

    def close_input(self):
        """Ends standard input."""
        _control.process_write(self._ticket, b"")

    def signal(self, number):
        _control.process_signal(self._ticket, int(number))

    def terminate(self):
        self.signal(signals.SIGTERM)

    def kill(self):
        _control.process_kill(self._ticket)

    def detach(self):
        """Ends the measurement; the program runs on."""
        _control.process_detach(self._ticket)

    def pause(self):
        """Nothing is counted until `resume`."""
        _control.process_pause(self._ticket)

    def resume(self):
        _control.process_resume(self._ticket)

    def reset(self):
        """Counts from now on are told apart: `read` returns those."""
        _control.process_reset(self._ticket)

    def read(self):
        """The counts since the last reset: records of module, function and calls."""
        return Records._take(_control.process_read(self._ticket))

    def watch(self):
        """Has events of processes, threads, libraries and signals come: "fork", "exec", "ended", "thread", "loaded", ...;
        before `run` from the program's beginning on."""
        _control.process_watch(self._ticket)

    def watch_regions(self):
        """Has the event "annotation" come at each begin (value 1) and end (0) of the program's regions: text
        "region=solve". Before `run`; "regions" must be measured, with something that counts."""
        _control.process_watch_regions(self._ticket)

    def stop(self):
        """Asks all threads to stop; the event "stopped" comes when they stand. Before `run`: the program is to stop in front
        of its first instruction."""
        _control.process_stop(self._ticket)

    def go(self):
        """Lets them go on."""
        _control.process_go(self._ticket)

    def step(self, tid=0):
        """Has a thread that stands execute one instruction; "stopped" comes then."""
        _control.process_step(self._ticket, tid)

    def _await(self, place, how, count):
        return _control.process_break(self._ticket, place if isinstance(place, str) else hex(place), how, count)

    def break_at(self, place, ignore=0):
        """Stops where a thread comes to "function", "module:function" or an address, but for the first times: event
        "breakpoint". Returns its number."""
        return self._await(place, "break", ignore)

    def first_call(self, place):
        """Tells the first visit of a place by an event ("function"), and stops nobody. Returns its number."""
        return self._await(place, "first", 0)

    def reach(self, place, count):
        """Stops where the first process comes to a place for the `count`-th time since it began, once: event "counter".
        All threads stand before. Returns its number."""
        return self._await(place, "reach", count)

    def unbreak(self, number):
        _control.process_unbreak(self._ticket, number)

    def threads(self):
        return Records([{name: int(value) for name, value in row.items()}
                        for row in _control.records_take(_control.process_threads(self._ticket))])

    def modules(self):
        """Records of path, from, to and bias."""
        return Records([{name: value if name == "path" else int(value) for name, value in row.items()}
                        for row in _control.records_take(_control.process_modules(self._ticket))])

    def registers(self, tid=0):
        """Registers of a thread that stands, as a dict."""
        return {row["name"]: int(row["value"])
                for row in _control.records_take(_control.process_registers(self._ticket, tid))}

    def set_register(self, name, value, tid=0):
        _control.process_set_register(self._ticket, tid, name, value)

    def read_memory(self, address, size):
        """Bytes of the first process; code is the original one."""
        return _control.process_read_memory(self._ticket, address, size)

    def write_memory(self, address, data):
        _control.process_write_memory(self._ticket, address, data)

    def save(self, path):
        """Writes the profile to a file; while the program is measured, that of now."""
        if self.running:
            _control.process_save_now(self._ticket, os.fspath(path))
        else:
            _control.process_save(self._ticket, os.fspath(path))

    def save_every(self, seconds):
        """Has the profile be written so often while the process is measured; before `run`. See `saved`."""
        _control.process_save_every(self._ticket, int(seconds * 1e9))

    def saved(self, path):
        """Writes the last of these profiles to a file. Returns when it was made, in ns of the engine's clock. GoneError:
        there is none yet."""
        return _control.process_saved(self._ticket, os.fspath(path))

    def keep(self):
        """Lets the profile stay on the engine's host when the process is released. Returns its path there."""
        return _control.process_keep(self._ticket)

    def debug(self, on_crash=False):
        """The debugger of `trammel debug`, before `run`: its messages are events of kind "output" with value 3, and `say`
        sends some. `on_crash`: nothing stops the program but a signal that would end it."""
        _control.process_debug(self._ticket, on_crash)

    def say(self, message):
        """Sends the debugger a message; nothing: the end."""
        _control.process_say(self._ticket, message.encode() if isinstance(message, str) else message)

    def stacks(self, json=False):
        """What all threads of a process that runs already do now, in place of `run`: events of kind "output", as text or
        JSON."""
        _control.process_stacks(self._ticket, json)

    def profile(self):
        """The Profile of a measurement that is over."""
        return Profile(_ticket=_control.process_profile(self._ticket))


class Profile(_Object):
    """A profile: `Profile("gzip.trm")`, or that of a Process."""

    _release = staticmethod(_control.profile_release)

    def __init__(self, path=None, *, _ticket=None):
        super().__init__(_control.profile_open(os.fspath(path)) if _ticket is None else _ticket)

    def query(self, text):
        """The rows of a query: see trammel-query(1)."""
        return Records._take(_control.profile_query(self._ticket, text))

    def functions(self):
        """Functions that were executed, those with the most calls first: module, function, calls."""
        return Records._take(_control.profile_functions(self._ticket))

    def arcs(self):
        """Calls by call site, of a profile of "calls": caller, function, arc.kind, count."""
        return self.query("SELECT caller, function, module, arc.kind, sum(arc.count) AS count WHERE arc.count > 0 "
                          "GROUP BY caller, function, module, arc.kind ORDER BY count DESC")

    def blocks(self):
        """Basic blocks, of "blocks" or "edges": function, block (address), count."""
        return self.query("SELECT function, module, block, block.size, sum(count) AS count WHERE block AND count > 0 "
                          "GROUP BY function, module, block, block.size ORDER BY count DESC")

    def edges(self):
        """Branches, of "edges": function, edge.from, edge.to, edge.kind, count."""
        return self.query("SELECT function, module, edge.from, edge.to, edge.kind, sum(count) AS count WHERE edge "
                          "GROUP BY function, module, edge.from, edge.to, edge.kind ORDER BY count DESC")

    def _all(self):
        return _control.records_take(_control.profile_records(self._ticket))

    def records(self):
        """All records as the file has them."""
        return Records(self._all()[1:])

    def tree(self):
        """Contexts, as a Tree: regions of the program, or calls of "callgraph"; empty if it has neither."""
        rows = _control.records_take_paths(_control.profile_records(self._ticket))
        return Tree.of((path, values) for path, values in rows[1:] if path)

    @property
    def globals(self):
        """What holds for the run: "host", "run.command", "run.measure", ..."""
        return self._all()[0]

    def save(self, path):
        _control.profile_save(self._ticket, os.fspath(path))

    def to_pandas(self):
        """`functions()` as a pandas.DataFrame."""
        return self.functions().to_pandas()

    def _repr_html_(self):
        run = self.globals
        head = f"{run.get('run.command', '')} on {run.get('host', '')}: {run.get('run.measure', '')}"
        return f"<p>{html.escape(head)}</p>{self.functions()._repr_html_(20)}{self.tree()._repr_html_(100)}"


def merge(profiles, path):
    """Makes one profile of several files, in a file; each run's host is its attribute "host"."""
    _control.profiles_merge([os.fspath(profile) for profile in profiles], os.fspath(path))
    return Profile(path)


def measure(program, arguments=(), what="functions", **more):
    """Runs a program and returns its Profile."""
    with Process(program, arguments, measure=what, **more) as process:
        process.run()
        process.wait()
        return process.profile()


_shared = None


def default_engine():
    """The engine of this host that all share."""
    global _shared  # pylint: disable=global-statement
    if _shared is None or not _shared._finalizer.alive:
        _shared = Engine()
        atexit.register(_shared.release)
    return _shared
