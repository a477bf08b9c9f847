"""Tables of tools, probes, values and waits in exports, compared with what queries find."""

import csv
import json
import os
import re
import sqlite3

from exports.whole import expect, export, run

PLACE = {"module.path", "function", "offset", "address", "file", "line", "process", "records"}
PROGRAM = r"""
#include <stdio.h>
volatile int sink;
__attribute__((noinline)) int leaf(int i) { sink = i; sink = i + 1; return i * 3; }
int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += leaf(i); return s == 1; }
"""


def build(folder):
    source = os.path.join(folder, "leaves.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    run(["gcc", "-O1", "-g", "-o", source[:-2], source])
    return source[:-2]


def query(tool, profile, text):
    return json.loads(run([tool, "query", text + " FORMAT json", profile]).stdout)


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_all(tool, profile, table):
    """The rows of a table in the three formats, as texts without empty ones."""
    path = export(tool, profile, "csv", "--table", table)
    with open(export(tool, profile, "json-lines"), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    database = sqlite3.connect(export(tool, profile, "sqlite"))
    database.row_factory = sqlite3.Row
    return {"csv": [{key: value for key, value in row.items() if value} for row in read_csv(path)],
            "json-lines": [{key: str(value) for key, value in row.items() if key != "table"}
                           for row in lines if row.get("table") == table],
            "sqlite": [{key: str(row[key]) for key in row.keys() if row[key] is not None}
                       for row in database.execute(f'SELECT * FROM "{table}"')]}


def plain(row):
    """As SQLite has addresses."""
    return {key: str(int(value, 16)) if value.startswith("0x") else value for key, value in row.items()}


def same(tool, profile, table):
    """The rows, which are the same in all formats."""
    rows = read_all(tool, profile, table)
    first = sorted(map(sorted, (plain(row).items() for row in rows["csv"])))
    expect(first, f"no rows of {table}")
    for name, list_ in rows.items():
        got = sorted(map(sorted, (plain(row).items() for row in list_)))
        expect(got == first, f"{name} of {table}: {got[:2]}, not {first[:2]}")
    return rows["json-lines"]


def check_tools(tool, folder):
    program = build(folder)
    profile = program + ".trm"
    run([tool, "run", "-q", "-o", profile, "--tool", "prof", "--tool", "dyninst", "--", program])
    for own, table in (("prof", "functions"), ("dyninst", "classes"), ("dyninst", "functions")):
        rows = same(tool, profile, f"{own}/{table}")
        wanted = query(tool, profile, f"SELECT * WHERE tool={own},tool.table={table}")
        expect(len(rows) == len(wanted), f"{len(rows)} rows of {own}/{table}, not {len(wanted)}")
        numbers = [name for name in rows[0] if name not in PLACE]
        for name in numbers:
            got = sorted(row.get(name, "") for row in rows)
            right = sorted(str(row.get(f"{own}#{name}", "")) for row in wanted)
            expect(got == right, f"{own}/{table} {name}: {got}, not {right}")
    leaf = [row for row in same(tool, profile, "prof/functions") if row["function"] == "leaf"]
    expect([row["calls"] for row in leaf] == ["100"], str(leaf))
    for name in ("pprof", "folded", "callgrind", "csv"):
        done = run([tool, "export", "--to", name, "-o", "/dev/null", profile])
        expect(re.search(r"left out are the tables '[a-z]+/[a-z]+', ", done.stderr), f"{name}: {done.stderr}")
    done = run([tool, "export", "--to", "csv", "--table", "prof/nothing", profile], status=2)
    expect("it has 'prof/functions'" in done.stderr or "'prof/functions'" in done.stderr, done.stderr)
    run([tool, "export", "--to", "pprof", "--table", "prof/functions", profile], status=2)


def check_probes(tool, folder):
    program = build(folder)
    profile = program + ".trm"
    run([tool, "run", "-q", "-o", profile, "--probe",
         "leaf { n = count(); s = sum(arg0); h = hist(arg0); k = count() by arg0 % 3 }",
         "--probe", "leaf { trace(arg0) if arg0 > 97 }", "--", program])
    rows = same(tool, profile, "probes")
    named = {row["name"]: row for row in rows if "low" not in row and "key" not in row}
    expect((named["n"]["hits"], named["s"]["sum"]) == ("100", "4950"), str(named))
    expect(sum(int(row["hits"]) for row in rows if row["name"] == "h" and "low" in row) == 100, str(rows))
    expect({row["key"]: row["hits"] for row in rows if row["name"] == "k" and "key" in row} ==
           {"0": "34", "1": "33", "2": "33"}, str(rows))
    expect([row["values"] for row in same(tool, profile, "probe hits")] == ["98", "99"], "hits")


def check_waits(tool, folder):
    source = os.path.join(folder, "sleeps.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("#include <unistd.h>\nint main(void) { for (int i = 0; i < 3; i++) usleep(20000); }\n")
    program = source[:-2]
    run(["gcc", "-O1", "-g", "-o", program, source])
    profile = program + ".trm"
    run([tool, "run", "-q", "-m", "waits", "-o", profile, "--", program])
    rows = [row for row in same(tool, profile, "waits") if row["kind"] == "sleep"]
    expect(sum(int(row["times"]) for row in rows) == 3, str(rows))
    expect(all(int(row["longest.ns"]) >= 20000000 and "main" in row["callers"] + row["function"]
               for row in rows), str(rows))


TESTS = [("tables-tools", check_tools), ("tables-probes", check_probes), ("tables-waits", check_waits)]
