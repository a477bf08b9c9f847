"""Odd names, large counts, empty and large profiles; and files to import that are cut, damaged or
hostile: they are refused, with the place of the fault."""

import gzip
import json
import os
import random
import resource

from exports.readers import READERS, sums
from exports.whole import compare, expect, export, run, shown
from transparency import running

ODD = ("blank in name", "a;b", "a,b", 'say "x"', "it's", "(parentheses)", "f(int, char*) const",
       "std::map<int, std::vector<char> >::operator[](int&&)", "naïve ☃ 名前", "line\nend", "tab\there",
       "back\\slash", "\\x41", "`quoted`", "a [b]", "[unknown]", "-dash", "(1) numbered", "+0x12", "fn=(3)",
       "%s%n", "{\"a\": 1}", "<script>", "a=b", "# hash", "* star", "trailing ", " leading", "\x01control",
       "operator()", "$x", "a\rb")
MAX = 2**63 - 1


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def make_pprof(rows, types, module="/usr/bin/odd name;x"):
    """A profile with a sample for each (stack of names, the innermost first; values)."""
    strings, out, functions = [""], b"", {}

    def string(text):
        if text not in strings:
            strings.append(text)
        return strings.index(text)

    for name, unit in types:
        out += field(1, field(1, string(name)) + field(2, string(unit)))
    out += field(3, field(1, 1) + field(2, 4096) + field(3, 1 << 30) + field(5, string(module)) +
                 field(7, 1))
    body = b""
    for stack, values in rows:
        ids = []
        for name in stack:
            number = functions.setdefault(name, len(functions) + 1)
            ids.append(number)
        body += field(2, field(1, b"".join(map(varint, ids))) + field(2, b"".join(map(varint, values))))
    for name, number in functions.items():
        body += field(5, field(1, number) + field(2, string(name)))
        body += field(4, field(1, number) + field(2, 1) + field(3, 4096 + 16 * number) +
                      field(4, field(1, number) + field(2, 7)))
    return out + body + b"".join(field(6, text.encode()) for text in strings)


def imported(tool, folder, data, *options, name="made"):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    run([tool, "import", "-o", path + ".trm", *options, path])
    return path + ".trm"


def odd_names(tool, folder):
    """All odd names come through all formats and back."""
    rows = [((name, "main"), (7 + i, 100 * i + 1)) for i, name in enumerate(ODD)]
    profile = imported(tool, folder, make_pprof(rows, [("calls", "count"), ("instructions", "count")]))
    wanted, types = shown(tool, profile)
    expect(set(wanted) == set(ODD), f"{sorted(set(wanted) ^ set(ODD))}")
    expect(wanted["a;b"] == {"calls": 8, "instructions": 101}, str(wanted["a;b"]))
    for name in ("pprof", "speedscope", "firefox", "csv", "json-lines", "sqlite", "cachegrind"):
        _, got = READERS[name](export(tool, profile, name))
        compare(name, sums(got), wanted, types)
    for name in ("callgrind", "perf-script", "folded"):
        kind = ["--type", "calls"]
        path = export(tool, profile, name, *kind)
        more = kind if name == "folded" else []
        run([tool, "import", "--from", name, "-o", path + ".trm", *more, path])
        compare(f"import of {name}", shown(tool, path + ".trm")[0], wanted,
                types if name == "callgrind" else {"calls"})
    nameless = imported(tool, folder, f"{CALLGRIND}creator: trammel\nevents: calls\nfn=(1) \n1 2\nfn=(2) f\n1 3\n"
                        "fn=(1)\n1 4\ntotals: 9\n".encode(), name="nameless")
    for name in ("callgrind", "perf-script", "folded"):
        path = export(tool, nameless, name)
        run([tool, "import", "--from", name, "-o", path + ".trm", "--type", "calls", path])
        got = shown(tool, path + ".trm")[0]
        expect(got == {"(no name)": {"calls": 6}, "f": {"calls": 3}}, f"{name}: {got}")


def large_counts(tool, folder):
    """Counts up to 2^63, and beyond where a format has room."""
    profile = imported(tool, folder, make_pprof([(("f",), (MAX,)), (("g",), (0,)), (("h",), (1,))],
                                                [("calls", "count")]))
    expect(shown(tool, profile)[0] == {"f": {"calls": MAX}, "h": {"calls": 1}}, "the import")
    for name in ("pprof", "csv", "json-lines", "sqlite", "callgrind", "cachegrind", "folded"):
        _, got = READERS[name](export(tool, profile, name))
        compare(name, sums((function, {"calls": number}) for function, values in got for number in values.values()),
                shown(tool, profile)[0], {"calls"})
    with open(export(tool, profile, "speedscope"), encoding="utf-8") as file:
        scaled = json.load(file)["profiles"][0]
    expect(scaled["name"] == "calls (1 is 2^10)" and sum(scaled["weights"]) <= 2**53, str(scaled)[:200])
    profile = imported(tool, folder, f"f {2**64 - 1}\n".encode(), "--type", "calls", name="larger")
    for name in ("csv", "json-lines", "callgrind", "cachegrind", "folded"):
        _, got = READERS[name](export(tool, profile, name))
        expect([number for _, values in got for number in values.values() if number] == [2**64 - 1], f"{name}: {got}")
    done = run([tool, "export", "--to", "pprof", "-o", profile + ".pprof", profile])
    expect("2^63" in done.stderr, "nothing says that pprof has no room")
    _, got = READERS["pprof"](profile + ".pprof")
    expect(sums(got) == {"f": {"calls": MAX}}, str(got))


def empty(tool, folder):
    """A profile in which nothing was executed."""
    profile = os.path.join(folder, "empty.trm")
    run([tool, "run", "-q", "-m", "functions", "--only", "nothing:*", "-o", profile, "--", "true"])
    for name, read in READERS.items():
        _, got = read(export(tool, profile, name))
        expect(not sums(got), f"{name}: {got}")


def large(tool, folder):
    """Many functions with little memory: it is proportional to what is read, and small."""
    count = 30_000
    path = os.path.join(folder, "large")
    with open(path, "w", encoding="utf-8") as file:
        for i in range(count):
            file.write(f"main;outer{i % 100};f{i} {i + 1}\n")

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))

    # Sanitizers map more than any program needs.
    more = {} if "ASAN_OPTIONS" in running.tool_environment() else {"preexec_fn": limit}
    run([tool, "import", "--type", "cpu-clock", "-o", path + ".trm", path], **more)
    for name in ("pprof", "speedscope", "callgrind", "perf-script"):
        run([tool, "export", "--to", name, "-o", f"{path}.{name}", path + ".trm"], **more)
    _, got = READERS["pprof"](path + ".pprof")
    expect(sum(values["cpu-clock"] for _, values in got) == count * (count + 1) // 2, "another total")


def paths(tool, folder):
    """Stacks are what they were: names in several places, leaves that call, and recursion deeper than is kept."""
    stacks = {"a": 1, "a;a": 2, "b;a": 3, "a;b": 4, "a;b;a": 5, "a;b;a;b": 6, "b": 7, "c;b;a": 8, "c;d": 9, "c": 10}
    deep = {";".join(["r"] * depth + ["leaf"]): depth for depth in (1022, 1023, 1024, 1025, 1500)}
    text = "".join(f"{stack} {count}\n" for stack, count in {**stacks, **deep}.items())
    profile = imported(tool, folder, text.encode())
    with open(export(tool, profile, "folded", "--type", "samples"), encoding="utf-8") as file:
        got = dict(line.rstrip("\n").rsplit(" ", 1) for line in file)
    got = {stack.replace("[unknown]`", ""): int(count) for stack, count in got.items()}
    for stack, count in stacks.items():
        expect(got.pop(stack, 0) == count, f"{stack}: not {count}")
    expect(sum(got.values()) == sum(deep.values()) and all(stack.endswith(";r;leaf") for stack in got),
           str([(stack[-20:], stack.count(";"), count) for stack, count in got.items()]))


def refused(tool, folder, data, options, message, name="bad"):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    done = running.run([tool, "import", "-o", path + ".trm", *options, path], cwd=folder,
                       environment=running.tool_environment())
    expect(done.status == 4, f"{data[:100]}: {done.status_text()}, {done.stderr}")
    done.stderr = done.stderr.decode()
    expect(message in done.stderr and done.stderr.count("\n") == 1, f"{message!r}: {done.stderr!r}")
    expect(not os.path.exists(path + ".trm") and not os.path.exists(path + ".trm.part"), "a profile is left")


CALLGRIND = "# callgrind format\nversion: 1\n"
# Format, text, and what is said of it.
WRONG = (
    ("folded", "a;b 5\na;b\n", "line 2: a stack, a blank"),
    ("folded", "a;b 18446744073709551616\n", "line 1: a stack, a blank"),
    ("folded", "a;;b 5\n", "line 1: a frame without a name"),
    ("folded", "a 5\nb\0c 5\n", "line 2: a zero byte"),
    ("folded", "", "there are no counts"),
    ("folded", "# nothing\n", "there are no counts"),
    ("perf-script", "x 1/1 1.000000: 1 cycles:\n\tzz f (x)\n", "line 2: 'ADDRESS SYMBOL (FILE)'"),
    ("perf-script", "x 1/1 1.000000: 1 cycles:\n\t12 f\n", "line 2: a frame without a file"),
    ("perf-script", "\t12 f (x)\n", "line 1: a frame without a sample's head"),
    ("perf-script", "x y 1.000000: 1 cycles:\n", "line 1: 'COMM PID/TID"),
    ("perf-script", "x 1/1 1.000000: 1\n", "line 1: a sample without an event"),
    ("callgrind", CALLGRIND + "fn=f\n1 2\n", "line 4: costs in front of 'events:'"),
    ("callgrind", CALLGRIND + "events: Ir\n1 2\n", "line 4: costs without a function"),
    ("callgrind", CALLGRIND + "events: Ir\nfn=(1)\n", "line 4: (1) has not been given a name"),
    ("callgrind", CALLGRIND + "events: Ir\nfn=f\n1 2 3\n", "line 5: more costs than 1 events"),
    ("callgrind", CALLGRIND + "events: Ir\nfn=f\n1 x\n", "line 5: cost 1 is no number"),
    ("callgrind", CALLGRIND + "events: Ir\nfn=f\n1 2\ncalls=1 1\n", "line 6: calls without a function"),
    ("callgrind", CALLGRIND + "events: Ir\nfn=f\n1 2\ncfn=g\ncalls=1 1\n", "the file ends behind a call"),
    ("callgrind", CALLGRIND + "events: Ir\nfn=f\n1 2\ntotals: 3\n", "make 2, and the file says 3"),
    ("callgrind", CALLGRIND + "events: Ir\nfn=f\n1 2\nwhat\n", "line 6: 'what' is no line"),
    ("callgrind", CALLGRIND + "events: Ir\nfn=f\n\x1b[31m\x7f\u009b1m 2\n", "line 5: '?[31m???1m"),
    ("callgrind", CALLGRIND + "events: " + "a " * 65 + "\n", "line 3: more than 64 events"),
    ("gcov", '{"files": [', "line 1: byte"),
    ("gcov", '{"files": [{"file": "a.c", "functions": [{"execution_count": 1}]}]}', "line 1: byte"),
    ("gcov", '{"files": [{"file": "a.c",\n"lines": [{"line_number": 1, "count": 1.5}]}]}', "line 2: byte"),
    ("gcov", '{"files": []} x', "line 1: byte 14"),
)


def wrong(tool, folder):
    """Texts that make no sense, each with its place."""
    for kind, text, message in WRONG:
        refused(tool, folder, text.encode(), ["--from", kind], message)


def wrong_pprof(tool, folder):
    """Messages that refer to what is not there, that are cut, or unpack to too much."""
    types = [("calls", "count")]
    good = make_pprof([(("f", "main"), (5,))], types)
    named = (
        (b"\x0b", "a field of an unknown kind"),
        (field(2, field(1, 99) + field(2, 5)), "a location that is not there"),
        (field(2, field(2, 5) + field(2, 6)), "a sample with more or fewer values"),
        (field(2, field(2, 2**64 - 5)), "a negative value"),
        (field(4, field(1, 1)), "an id is 0, or there twice"),
        (field(2, field(2, 5) + field(3, field(1, 77))), "a string that is not there"),
        (varint(2 << 3 | 2) + varint(1 << 40), "longer than what it is in"),
    )
    for data, message in named:
        refused(tool, folder, good + data, ["--from", "pprof"], message)
    refused(tool, folder, field(6, b"") + field(2, b""), ["--from", "pprof"], "no types of numbers")
    packed = gzip.compress(good)
    refused(tool, folder, packed[:len(packed) - 9], ["--from", "pprof"], "the gzip data")
    refused(tool, folder, packed[:20] + b"\xff" + packed[21:], ["--from", "pprof"], "the gzip data")
    refused(tool, folder, gzip.compress(bytes(100 << 20)), ["--from", "pprof"], "more than 83 MiB")


def cut_and_changed(tool, folder):
    """Any part of a file, and files with wrong bytes: refused in one line, or read; never a crash."""
    chance = random.Random(1)
    rows = [((name, "main"), (7 + i,)) for i, name in enumerate(ODD)]
    profile = imported(tool, folder, make_pprof(rows, [("calls", "count")]))
    for name in ("pprof", "callgrind", "perf-script", "folded"):
        with open(export(tool, profile, name), "rb") as file:
            data = file.read()
        data = gzip.decompress(data) if name == "pprof" else data
        for _ in range(12):
            changed = bytearray(data[:chance.randrange(len(data) + 1)])
            for _ in range(chance.randrange(3) if changed else 0):
                changed[chance.randrange(len(changed))] = chance.randrange(256)
            path = os.path.join(folder, "changed")
            with open(path, "wb") as file:
                file.write(changed)
            done = running.run([tool, "import", "--from", name, "-o", path + ".trm", path],
                               cwd=folder,
                               environment=running.tool_environment())
            expect(done.status in (0, 4), f"{name}: {done.status_text()}: {done.stderr[-300:]}")
            expect(done.stderr.count(b"\n") == (done.status != 0), str(done.stderr))
    # A callgrind file that was cut has no totals.
    with open(export(tool, profile, "callgrind"), "rb") as file:
        data = file.read()
    refused(tool, folder, data[:data.rindex(b"\n\ntotals")], ["--from", "callgrind"], "ends without totals")


def usage(tool, folder):
    """Wrong command lines, and the lists."""
    profile = imported(tool, folder, b"f 5\n")
    for words, message in (
            (["export", profile], "no format"), (["export", "--to", "what", profile], "is no format"),
            (["export", "--to", "csv"], "no profile"),
            (["export", "--to", "folded", "--type", "what", profile], "it has samples"),
            (["import", profile], "needed"), (["import", "--from", "what", "-o", "x", profile], "is no format")):
        done = run([tool, *words], status=2, cwd=folder)
        expect(message in done.stderr, f"{words}: {done.stderr}")
    for word in ("export", "import"):
        listed = json.loads(run([tool, word, "--list", "--json"]).stdout)["formats"]
        text = run([tool, word, "--list"]).stdout
        expect(listed and all(f"\n{row['format']} " in "\n" + text for row in listed), text)


# What other programs write, in short.
REAL = {
    "perf": ("# cmdline : perf record\nmy app 12/13 [001] 100.000001:     250000 cpu-clock:u: \n"
             "\t    55d0 inner+0x10 (inlined)\n\t    55d0 work(int)+0x20 (/usr/bin/my app)\n"
             "\t    7f01 __libc_start_main+0x5 (/lib/libc.so.6)\n\n"
             "my app 13 100.000002: 1 cpu-clock:u:  55e0 work(int)+0x30 (/usr/bin/my app)\n"),
    "callgrind": ("# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 1\ncmd: ./x\n"
                  "part: 1\n\n\npositions: instr line\nevents: Ir Dr\nsummary: 17 4\n\n\n"
                  "ob=(1) /x\nfl=(1) x.c\nfn=(1) main\n0x1000 10 5 1\n+4 +1 2\n"
                  "cfn=(2) leaf\ncalls=3 0x2000 20\n* * 10 3\n\nfn=(2)\n0x2000 20 10 3\n\ntotals: 17 4\n"),
    "gcov": json.dumps({"format_version": "1", "data_file": "x.c", "files": [{"file": "x.c", "functions": [
        {"name": "_Z4leafv", "demangled_name": "leaf()", "start_line": 2, "execution_count": 3}], "lines": [
            {"line_number": 2, "count": 3, "function_name": "_Z4leafv"},
            {"line_number": 2, "count": 1, "function_name": "_Z4leafv"}]}]}),
    "folded": "main;a_[k] 3\nmain;b 4\n",
}


def real_files(tool, folder):
    """What other programs write: their forms differ from ours."""
    wanted = {
        "perf": {"inner": {"samples": 1}, "work(int)": {"samples": 1}},
        "callgrind": {"main": {"instructions": 7, "samples": 1}, "leaf": {"calls": 3, "instructions": 10,
                                                                          "samples": 3}},
        "gcov": {"leaf()": {"calls": 3, "samples": 4}},
        "folded": {"a_[k]": {"samples": 3}, "b": {"samples": 4}},
    }
    for name, text in REAL.items():
        profile = imported(tool, folder, text.encode(), name=name)
        got = shown(tool, profile)[0]
        expect(got == wanted[name], f"{name}: {got}")


TESTS = [("names", odd_names), ("large-counts", large_counts), ("empty", empty), ("large", large), ("paths", paths),
         ("wrong", wrong), ("wrong-pprof", wrong_pprof), ("cut", cut_and_changed), ("usage", usage),
         ("real", real_files)]
