"""Readers of the formats that `trammel export` writes, independent of the writers: each returns
(types, rows), where types is {name: unit} and rows a list of (function, {type: number}) of what
functions did themselves."""

import csv
import gzip
import json
import re
import sqlite3


def varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return number, at


def fields(data):
    """(number, value) of each field of a message: an int or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "a field is cut"
        else:
            raise AssertionError(f"field of kind {key & 7}")
        yield key >> 3, value


def numbers(data):
    at, out = 0, []
    while at < len(data):
        value, at = varint(data, at)
        out.append(value)
    return out


def message(data):
    """{field: [values]}"""
    out = {}
    for number, value in fields(data):
        out.setdefault(number, []).append(value)
    return out


def first(data, number, default=0):
    return data.get(number, [default])[0]


class Pprof:
    """A profile of pprof, with its parts by id."""

    def __init__(self, path):
        with gzip.open(path) as file:
            whole = message(file.read())
        self.strings = [text.decode() for text in whole[6]]
        assert self.strings[0] == ""
        self.types = [(self.strings[first(message(t), 1)], self.strings[first(message(t), 2)])
                      for t in whole[1]]
        self.default = self.strings[first(whole, 14)]
        self.mappings = [message(m) for m in whole.get(3, [])]
        self.functions = {first(f, 1): f for f in map(message, whole.get(5, []))}
        self.locations = {first(f, 1): f for f in map(message, whole.get(4, []))}
        self.samples = [message(s) for s in whole.get(2, [])]

    def name(self, function):
        return self.strings[first(self.functions[function], 2)]

    def lines(self, location):
        """(function, line) of each line of a location, the innermost first."""
        return [(first(m, 1), first(m, 2)) for m in map(message, self.locations[location].get(4, []))]

    def check(self):
        """What readers of pprof ask for."""
        assert self.default == self.types[-1][0], (self.default, self.types)
        for mapping in self.mappings:
            assert all(first(mapping, number) for number in (7, 8, 9, 10)), mapping
        for function in self.functions.values():
            name, system = first(function, 2), first(function, 3)
            assert name != system, self.strings[name]

    def rows(self):
        for sample in self.samples:
            stack = [number for packed in sample[1] for number in numbers(packed)]
            values = [number for packed in sample[2] for number in numbers(packed)]
            assert len(values) == len(self.types)
            function = self.name(self.lines(stack[0])[-1][0])
            yield function, dict(zip((name for name, _ in self.types), values))


def read_pprof(path):
    profile = Pprof(path)
    profile.check()
    return dict(profile.types), list(profile.rows())


def unescape(text):
    return re.sub(r"\\(?:x([0-9a-f]{2})|(\\))",
                  lambda m: "\\" if m.group(2) else chr(int(m.group(1), 16)), text)


NAME = re.compile(r"^(fn|cfn|fl|fi|fe|cfi|ob|cob|jfi)=\((\d+)\)(?: (.*))?$")


class Callgrind:
    """Own costs, and calls, of a file of callgrind."""

    def __init__(self, path):
        self.types, self.rows, self.calls, self.jumps = {}, [], {}, 0
        self.names, self.current = {}, {}
        self.events, self.totals, self.skip = [], None, None
        self.real = {}
        with open(path, encoding="utf-8", newline="\n") as file:
            for line in file:
                self.read(line.rstrip("\n"))
        sums = [sum(row[1][event] for row in self.rows) for event in self.events]
        assert [min(n, 2**64 - 1) for n in sums] == self.totals, (sums, self.totals)

    def name(self, kind, number, text):
        kind = {"c": kind[1:], "j": kind[1:]}.get(kind[0], kind)
        kind = "file" if kind[0] == "f" and kind != "fn" else kind
        if text:
            assert self.names.setdefault((kind, number), text) == text
        return self.names[kind, number]

    def read(self, line):
        match = NAME.match(line)
        if match:
            kind, number, text = match.groups()
            self.current[kind] = self.name(kind, number, text)
        elif line.startswith("desc: type "):
            event, unit, real = line.split(" ", 4)[2:]
            self.real[event] = unescape(real)
            self.types[self.real[event]] = unit
        elif line.startswith("events:"):
            self.events = [self.real[word] for word in line.split()[1:]]
        elif line.startswith("totals:"):
            self.totals = [int(word) for word in line.split()[1:]]
        elif line.startswith("calls="):
            count = int(line[6:].split()[0])
            key = self.function(self.current["fn"]), self.function(self.current["cfn"])
            self.calls[key] = self.calls.get(key, 0) + count
            self.skip = "call"
        elif line.startswith(("jump=", "jcnd=")):
            self.jumps += 1
            self.skip = "jump"
        elif re.match(r"[0-9]", line):
            self.cost(line.split())

    @staticmethod
    def function(name):
        return re.sub(r" \[(\[[^][]*\]|[^][]*)\]$", "", unescape(name))

    def cost(self, words):
        skip, self.skip = self.skip, None
        if skip == "jump":
            return
        values = [int(word) for word in words[-len(self.events):]]
        assert len(words) in (len(values) + 1, len(values) + 2), words
        if not skip:
            self.rows.append((self.function(self.current["fn"]), dict(zip(self.events, values))))


def read_callgrind(path):
    profile = Callgrind(path)
    return profile.types, profile.rows


def read_cachegrind(path):
    events, rows, function, summary = [], [], None, None
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith("events:"):
                events = line.split()[1:]
            elif line.startswith("fn="):
                function = Callgrind.function(line[3:])
            elif line.startswith("summary:"):
                summary = [int(word) for word in line.split()[1:]]
            elif re.match(r"[0-9]", line):
                rows.append((function, dict(zip(events, map(int, line.split()[1:])))))
    assert [sum(row[1][event] for row in rows) for event in events] == summary
    rename = {"Ir": "instructions"}
    return ({rename.get(event, event): "" for event in events},
            [(name, {rename.get(event, event): value for event, value in values.items()})
             for name, values in rows])


def check_events(profile, frames):
    """Times never go back, and all that is opened is closed, the innermost first."""
    last, open_frames = profile["startValue"], []
    for event in profile["events"]:
        assert 0 <= event["frame"] < frames and event["at"] >= last, event
        last = event["at"]
        if event["type"] == "O":
            open_frames.append(event["frame"])
        else:
            assert open_frames.pop() == event["frame"], event
    assert not open_frames and last <= profile["endValue"]


def read_speedscope(path):
    with open(path, encoding="utf-8") as file:
        whole = json.load(file)
    frames = whole["shared"]["frames"]
    types, rows = {}, []
    for profile in whole["profiles"]:
        if profile["type"] == "evented":
            check_events(profile, len(frames))
            continue
        types[profile["name"]] = profile["unit"]
        assert profile["type"] == "sampled"
        assert sum(profile["weights"]) == profile["endValue"] - profile["startValue"]
        assert min(profile["weights"], default=0) >= 0
        assert len(profile["weights"]) == len(profile["samples"])
        assert profile["endValue"] <= 2**53
        for stack, weight in zip(profile["samples"], profile["weights"]):
            rows.append((frames[stack[-1]]["name"], {profile["name"]: weight}))
    assert 0 <= whole["activeProfileIndex"] < len(whole["profiles"])
    return types, rows


def check_columns(table):
    for name, column in table.items():
        if isinstance(column, list):
            assert len(column) == table["length"], name


def read_firefox(path):
    with open(path, encoding="utf-8") as file:
        whole = json.load(file)
    assert whole["meta"]["preprocessedProfileVersion"] == 48
    types, rows = {}, []
    for thread in whole["threads"]:
        for table in ("samples", "funcTable", "frameTable", "stackTable", "resourceTable",
                      "nativeSymbols", "markers"):
            check_columns(thread[table])
        samples, stacks, frames = thread["samples"], thread["stackTable"], thread["frameTable"]
        strings, functions = thread["stringArray"], thread["funcTable"]
        assert samples["time"] == sorted(samples["time"])
        assert all(prefix is None or prefix < i for i, prefix in enumerate(stacks["prefix"]))
        assert all(-1 <= r < len(whole["libs"]) for r in functions["resource"])
        types[thread["name"]] = samples["weightType"]
        scale = 1e6 if samples["weightType"] == "tracing-ms" else 1
        for stack, weight in zip(samples["stack"], samples["weight"]):
            name = strings[functions["name"][frames["func"][stacks["frame"][stack]]]]
            rows.append((name, {thread["name"]: round(weight * scale)}))
    return types, rows


PERF_HEAD = re.compile(r"^(\S+) +(\d+)/(\d+) +(\d+\.\d{6}): +(\d+) (\S+):$")
PERF_FRAME = re.compile(r"^\t *([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \(([^()]*|\[region\])\)$")


def read_perf_script(path):
    types, rows, head, last = {}, [], None, ""
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            line = line.rstrip("\n")
            match = PERF_HEAD.match(line)
            if match:
                head = match
                assert not last or float(match.group(4)) > float(last)
                last = match.group(4)
                types[match.group(6)] = ""
            elif line.startswith("\t") and head:
                name = PERF_FRAME.match(line).group(2)
                rows.append((unescape(name), {head.group(6): int(head.group(5))}))
                head = None
    return types, rows


def read_folded(path):
    rows = []
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            stack, number = line.rstrip("\n").rsplit(" ", 1)
            frame = stack.rsplit(";", 1)[-1]
            rows.append((unescape(frame.split("`", 1)[-1]), {"": int(number)}))
    return {"": ""}, rows


COLUMNS = ("process", "thread", "module", "function", "linked", "offset", "address", "file", "line",
           "callers")


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        table = list(csv.reader(file, strict=True))
    assert tuple(table[0][:len(COLUMNS)]) == COLUMNS
    names = table[0][len(COLUMNS):]
    return ({name: "" for name in names},
            [(row[3], dict(zip(names, map(int, row[len(COLUMNS):])))) for row in table[1:]])


def read_json_lines(path):
    types, rows = {}, []
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            row = json.loads(line)
            values = {name: value for name, value in row.items()
                      if name not in COLUMNS and name not in ("module.path", "region")}
            types.update({name: "" for name in values})
            rows.append((row.get("function", row.get("region")), values))
    return types, rows


def read_sqlite(path):
    """Its tables are whole, and its view adds up what they have."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    assert not database.execute("PRAGMA foreign_key_check").fetchall()
    types = dict(database.execute("SELECT name, unit FROM types"))
    rows = [(function, {kind: number}) for function, kind, number in database.execute(
        "SELECT f.name, t.name, c.value FROM counts c JOIN places p ON p.id = c.place "
        "JOIN functions f ON f.id = p.function JOIN types t ON t.id = c.type")]
    totals = [(function, {kind: number}) for function, kind, number in
              database.execute("SELECT function, type, sum(value) FROM totals GROUP BY function, type")]
    database.close()
    assert sums(totals) == sums(rows)
    return types, rows


READERS = {
    "pprof": read_pprof,
    "callgrind": read_callgrind,
    "cachegrind": read_cachegrind,
    "speedscope": read_speedscope,
    "firefox": read_firefox,
    "perf-script": read_perf_script,
    "folded": read_folded,
    "csv": read_csv,
    "json-lines": read_json_lines,
    "sqlite": read_sqlite,
}


def sums(rows):
    """{function: {type: sum}}, without zeros."""
    out = {}
    for function, values in rows:
        of = out.setdefault(function, {})
        for name, value in values.items():
            if value:
                of[name] = of.get(name, 0) + value
    return {function: values for function, values in out.items() if values}
