"""What the programs that read the formats find in them: totals must be those of the report."""

import json
import os
import re
import shutil
import subprocess

from exports.whole import expect, export, measure, run, shown
from transparency import sources
from transparency.results import Skip


def need(program):
    if not shutil.which(program):
        raise Skip(f"no {program} here")


def whole(folder, tool, what="blocks,calls"):
    """A profile of all modules, and what is to be in it: {function: {type: sum}}."""
    program, profile = measure(tool, folder, "calls_from.c", what)
    options = ["--module", program]
    return profile, options, shown(tool, profile, *options)[0]


def total(wanted, kind):
    return sum(values.get(kind, 0) for values in wanted.values())


def pprof(tool, folder):
    """go tool pprof: sums of each type, of functions and in all."""
    need("go")
    profile, options, wanted = whole(folder, tool)
    path = export(tool, profile, "pprof", *options)
    for kind in ("calls", "instructions"):
        text = run(["go", "tool", "pprof", "-top", "-nodecount=100000", "-nodefraction=0",
                    f"-sample_index={kind}", path], env=None).stdout
        expect(f"of {total(wanted, kind)} total" in text, f"{kind}: {text.splitlines()[:6]}")
        for number, name in re.findall(r"^ *(\d+) +\S+% +\S+% +\d+ +\S+% +(.*)$", text, re.M):
            # Here one function of another that was put into it is a row of its own.
            if "(inline)" not in name and kind == "calls":
                expect(wanted.get(name, {}).get(kind, 0) == int(number), f"{name}: {number}")
    text = run(["go", "tool", "pprof", "-raw", path], env=None).stdout
    mapping = re.search(r"Mappings\n1: \S+ (\S+) .*\[FN\]\[FL\]\[LN\]\[IN\]", text)
    expect(mapping and os.path.basename(mapping.group(1)) == "calls_from", text[-600:])


def callgrind_annotate(tool, folder):
    """Totals, functions, and calls, also from the folder of the source."""
    need("callgrind_annotate")
    profile, options, wanted = whole(folder, tool)
    path = export(tool, profile, "callgrind", *options)
    for place in (folder, "/", os.path.join(os.path.dirname(__file__), "..", "programs")):
        text = run(["callgrind_annotate", "--threshold=100", "--tree=caller", "--auto=no", path],
                   cwd=place).stdout.replace(",", "")
        sums = re.search(r"^(\d+) \(100.0%\) +(\d+) \(100.0%\) +PROGRAM TOTALS", text, re.M)
        expect(sums and [int(n) for n in sums.groups()] ==
               [total(wanted, "calls"), total(wanted, "instructions")], text[:900])
        for number, name in re.findall(r"^ *(\d+) \([^)]*\) .*\* +\S*:(.*?) \[", text, re.M):
            expect(wanted[name]["calls"] == int(number), f"{name}: {number} in {place}")
        expect(re.search(r"\* +\S*:leaf \[", text) and re.search(r"< \S*:\w+ \(\d+x\)", text), text[-2000:])
        names = re.findall(r"[*<] +(\S*:\w+)", text)
        bare = {name.rsplit("/", 1)[-1] for name in names}
        expect(len(bare) == len(set(names)), f"names in two forms: {sorted(set(names))}")


def cg_annotate(tool, folder):
    need("cg_annotate")
    profile, options, wanted = whole(folder, tool)
    path = export(tool, profile, "cachegrind", *options)
    text = run(["cg_annotate", "--auto=no", path]).stdout.replace(",", "")
    sums = re.search(r"^(\d+) \(100.0%\) +(\d+) \(100.0%\) +PROGRAM TOTALS", text, re.M)
    expect(sums and [int(n) for n in sums.groups()] ==
           [total(wanted, "calls"), total(wanted, "instructions")], text[:900])


def sqlite(tool, folder):
    """sqlite3 reads the comma-separated values."""
    need("sqlite3")
    profile, options, wanted = whole(folder, tool)
    path = export(tool, profile, "csv", *options)
    text = run(["sqlite3", ":memory:", "-cmd", ".mode csv", "-cmd", f".import {path} t",
                "SELECT sum(calls), sum(instructions) FROM t"]).stdout
    expect(text.strip() == f"{total(wanted, 'calls')},{total(wanted, 'instructions')}", text)


def compressed(tool, folder):
    """What ends in .gz is gzip; pprof is it anyway, and once."""
    need("gzip")
    profile, options, _ = whole(folder, tool, "functions")
    plain = export(tool, profile, "csv", *options)
    for name in ("csv", "pprof"):
        run([tool, "export", "--to", name, "-o", f"{plain}.{name}.gz", *options, profile])
    done = subprocess.run(["gzip", "-dc", f"{plain}.csv.gz"], capture_output=True, check=True)
    with open(plain, "rb") as file:
        expect(file.read() == done.stdout, "another text")
    done = subprocess.run(["gzip", "-dc", f"{plain}.pprof.gz"], capture_output=True, check=True)
    expect(done.stdout[:2] != b"\x1f\x8b", "gzip in gzip")


def to_pipe(tool, folder):
    """Without -o it is standard output."""
    profile, options, _ = whole(folder, tool, "functions")
    plain = export(tool, profile, "folded", *options)
    with open(plain, encoding="utf-8") as file:
        expect(run([tool, "export", "--to", "folded", *options, profile]).stdout == file.read(),
               "another text")


def lcov(tool, folder):
    """lcov and genhtml read the tracefile, which is that of `coverage`."""
    need("genhtml")
    program, profile = measure(tool, folder, "calls_from.c", "edges")
    options = ["--module", program]
    built = ["gcc", "-O2", "-g", os.path.join(sources.FOLDER, "loop_entry.c"), "-o", program]
    run(built)
    run([tool, "run", "-q", "-m", "edges", "-o", profile, "--", program])
    path = export(tool, profile, "lcov", *options)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    expect(text == run([tool, "coverage", "--lcov", *options, profile]).stdout, "not that of coverage")
    done = run(["genhtml", "--branch-coverage", "-o", os.path.join(folder, "html"), path])
    lines = re.findall(r"^DA:\d+,(\d+)$", text, re.M)
    hit = sum(number != "0" for number in lines)
    expect(f"({hit} of {len(lines)} lines)" in done.stdout, done.stdout[-400:])


def gcov(tool, folder):
    """The same lines and functions in gcov's form; and imported."""
    program, profile = measure(tool, folder, "loop_entry.c", "functions")
    run(["gcc", "-O2", "-g", os.path.join(sources.FOLDER, "loop_entry.c"), "-o", program])
    run([tool, "run", "-q", "-m", "edges", "-o", profile, "--", program])
    options = ["--module", program]
    path = export(tool, profile, "gcov", *options)
    with open(path, encoding="utf-8") as file:
        whole = json.load(file)
    expect(whole["format_version"] == "1", str(whole)[:200])
    text = run([tool, "export", "--to", "lcov", *options, profile]).stdout
    named = [file for file in whole["files"] if os.path.basename(file["file"]) == "loop_entry.c"]
    expect(len(named) == 1, str([file["file"] for file in whole["files"]]))
    lines = {line["line_number"]: line["count"] for line in named[0]["lines"]}
    expect(lines == {int(a): int(b) for a, b in re.findall(r"^DA:(\d+),(\d+)$", text, re.M)}, str(lines))
    branches = sorted(branch["count"] for line in named[0]["lines"] for branch in line["branches"])
    expect(branches == sorted(map(int, re.findall(r"^BRDA:.*,(\d+)$", text, re.M))), str(branches))
    functions = {row["name"]: row["execution_count"] for row in named[0]["functions"]}
    expect(functions == {name: int(n) for n, name in re.findall(r"^FNDA:(\d+),(.*)$", text, re.M)},
           str(functions))
    run([tool, "import", "-o", path + ".trm", path])
    got = {name: values["calls"] for name, values in shown(tool, path + ".trm")[0].items()
           if "calls" in values}
    expect(got == {name: n for name, n in functions.items() if n}, str(got))
    run([tool, "export", "--to", "gcov", "-o", path + ".gz", *options, profile])
    run([tool, "import", "-o", path + ".trm", path + ".gz"])


def database(tool, folder):
    """sqlite3 finds the same sums in the tables."""
    need("sqlite3")
    profile, options, wanted = whole(folder, tool)
    path = export(tool, profile, "sqlite", *options)
    text = run(["sqlite3", path, "SELECT type, sum(value) FROM totals GROUP BY type;"
                "SELECT count(*) FROM places p WHERE caller IS NOT NULL AND caller >= p.id;"
                "PRAGMA foreign_key_check; PRAGMA integrity_check"]).stdout
    expect(text.split() == [f"calls|{total(wanted, 'calls')}",
                            f"instructions|{total(wanted, 'instructions')}", "0", "ok"], text)
    expect(sorted(os.listdir(folder)) == sorted(set(os.listdir(folder)) - {path + ".part"}), "a part is left")
    done = run([tool, "export", "--to", "sqlite", *options, profile], status=2)
    expect("with -o" in done.stderr, done.stderr)


def others(tool, folder):
    """Formats of other commands are what these write."""
    program, profile = measure(tool, folder, "calls_from.c", "blocks,calls")
    for name, word in (("fdata", "--fdata"),):
        done = run([tool, "export", "--to", name, "--module", program, profile])
        expect(done.stdout == run([tool, "pbo", word, "--module", program, profile]).stdout and done.stdout,
               f"{name}: not that of pbo")
    for name in ("trace-event", "cali"):
        done = run([tool, "export", "--to", name, profile])
        expect(done.stdout == run([tool, "query", f"FORMAT {name}", profile]).stdout and done.stdout,
               f"{name}: not that of query")
        done = run([tool, "export", "--to", name, "--module", program, profile], status=2)
        expect("are not for" in done.stderr, done.stderr)
    done = run([tool, "run", "-q", "-m", "functions", "-o", profile, "--", program])
    done = run([tool, "export", "--to", "autofdo", profile], status=2)
    expect("no counts of blocks" in done.stderr, done.stderr)


TESTS = [("reader-lcov", lcov), ("gcov", gcov), ("sqlite", database), ("others", others), ("reader-pprof", pprof), ("reader-callgrind", callgrind_annotate), ("reader-cachegrind", cg_annotate),
         ("reader-sqlite", sqlite), ("gzip", compressed), ("pipe", to_pipe)]
