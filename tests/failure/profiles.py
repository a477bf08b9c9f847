"""Profiles that cannot be written, and profiles that are torn or damaged."""

import json
import os
import random
import resource
import shutil
import subprocess

from failure.common import expect, expect_same, lines_of
from transparency import running, sources
from transparency.job_control import as_nobody
from transparency.results import Skip


def expect_not_started(place, outcome, profile):
    lines = lines_of(outcome.stderr)
    expect(b"ran" not in outcome.stdout, "the program ran though its profile cannot be written")
    expect(outcome.status > 0, f"{outcome.status_text()}, not a failure")
    expect(len(lines) == 1 and profile in lines[0],
           f"not one line that names '{profile}': {lines[:3]}")


def no_folder(place):
    profile = place.path("nowhere/run.trm")
    expect_not_started(place, place.measure(["echo", "ran"], profile), profile)


def is_a_folder(place):
    profile = place.path("folder")
    os.makedirs(os.path.join(profile, "echo.trm"))
    expect_not_started(place, place.measure(["echo", "ran"], profile), profile)


def no_right(place):
    if os.geteuid() != 0:
        raise Skip("needs root, to become another user")
    outcome = place.measure(["echo", "ran"], prepare=as_nobody)
    expect_not_started(place, outcome, place.profile)


def disk_full(place):
    """The program runs to its end; then the error is told, and the status says it if it can."""
    if not os.path.exists("/dev/full"):
        raise Skip("needs /dev/full")
    for wanted, told in ((0, None), (3, 3)):
        command = ["sh", "-c", f"echo ran; exit {wanted}"]
        outcome = place.measure(command, "/dev/full")
        lines = lines_of(outcome.stderr)
        expect(outcome.stdout == b"ran\n", f"it printed {outcome.stdout[:60]!r}")
        if told is None:
            expect(outcome.status > 0, f"{outcome.status_text()}, though nothing was written")
        else:
            expect(outcome.status == told, f"{outcome.status_text()}, not exit {told}")
        expect(len(lines) == 1 and "/dev/full" in lines[0],
               f"not one line that names '/dev/full': {lines[:3]}")


def size_limit(place):
    """RLIMIT_FSIZE is the program's business too: neither it nor trammel dies of SIGXFSZ."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
    outcome = place.measure(["/bin/true"], prepare=limit)
    expect(outcome.status != 0, "no error, though the profile cannot be written")
    expect(outcome.status > 0, f"ended by {outcome.status_text()}")


def replaced(place):
    """A profile that was there before is replaced as a whole; no other file appears."""
    place.write("run.trm", b"x" * 1000000)
    place.measure(["/bin/true"])
    place.report()
    expect(os.path.getsize(place.profile) < 1000000, "the old profile was not replaced")
    expect(os.listdir(place.folder) == ["run.trm"], f"files left: {os.listdir(place.folder)}")


def default_name(place):
    outcome = running.run([place.tool, "run", "--quiet", "--", "/bin/true"], place.folder)
    expect(outcome.status == 0, outcome.status_text())
    expect(os.listdir(place.folder) == ["true.trm"], f"not true.trm: {os.listdir(place.folder)}")


def summary(place):
    """Without --quiet a table comes on standard error, and standard output is the program's."""
    outcome = running.run([place.tool, "run", "-o", place.profile, "--", "echo", "ran"],
                          place.folder)
    expect(outcome.stdout == b"ran\n", f"standard output: {outcome.stdout[:80]!r}")
    expect(b"libc.so.6" in outcome.stderr, f"no table: {outcome.stderr[:200]!r}")


def reads(place, profile):
    """The functions that `trammel report` has from a file; None if it refused it."""
    outcome = running.run([place.tool, "report", profile, "--json"], place.folder)
    expect(outcome.status >= 0 and not outcome.timed_out,
           f"trammel report: {outcome.status_text()} on {os.path.basename(profile)}")
    if outcome.status != 0:
        expect(lines_of(outcome.stderr), "trammel report failed without a message")
        return None, True
    warned = bool(outcome.stderr.strip())
    rows = place.report(profile).rows
    return {(r["module"], r["function"], r["offset"], r["calls"]) for r in rows}, warned


def sample(place):
    outcome = place.measure(["sh", "-c", "for i in 1 2 3; do expr $i + 1; done"])
    expect(outcome.status == 0, outcome.status_text())
    with open(place.profile, "rb") as file:
        return file.read(), reads(place, place.profile)[0]


def torn(place):
    """Cut off at any place, a profile is read up to there, with a warning."""
    content, whole = sample(place)
    generator = random.Random(7)
    for cut in [0, 1, len(content) - 1, *generator.sample(range(2, len(content) - 1), 15)]:
        rows, warned = reads(place, place.write("torn.trm", content[:cut]))
        expect(warned, f"no warning, though only {cut} of {len(content)} bytes are there")
        expect(rows is None or rows <= whole, f"rows that the whole file lacks, cut at {cut}")
    # Two profiles in one file: what is whole stays, wherever the second one ends.
    twice = reads(place, place.write("twice.trm", content + content))[0]
    for cut in [1, len(content) - 1, *generator.sample(range(2, len(content) - 1), 15)]:
        rows, warned = reads(place, place.write("torn.trm", content + content[:cut]))
        expect(warned, f"no warning, though the second profile ends after {cut} bytes")
        expect(rows in (whole, twice),
               f"not the rows of the first profile; the second ends at {cut}")


def damaged(place):
    """Changed bytes are found by the checksums: a warning or an error, no wrong rows."""
    content, whole = sample(place)
    random.seed(11)
    for _ in range(40):
        changed = bytearray(content)
        start = random.randrange(len(content))
        for place_of_byte in range(start, min(start + random.choice((1, 4, 300)), len(content))):
            changed[place_of_byte] ^= random.randrange(1, 256)
        rows, warned = reads(place, place.write("damaged.trm", bytes(changed)))
        expect(warned, f"no warning, though bytes from {start} on are changed")
        expect(rows is None or rows <= whole, f"rows that the whole file lacks ({start})")


def no_profile(place):
    for name, content in (("empty.trm", b""), ("text.trm", b"no profile\n" * 100),
                          ("noise.trm", random.Random(3).randbytes(5000))):
        outcome = running.run([place.tool, "report", place.write(name, content)], place.folder)
        expect(outcome.status > 0, f"{name}: {outcome.status_text()}")
        expect(len(lines_of(outcome.stderr)) == 1, f"{name}: not one line: {outcome.stderr!r}")
    outcome = running.run([place.tool, "report", place.path("missing.trm")], place.folder)
    expect(outcome.status > 0 and b"missing.trm" in outcome.stderr, "missing.trm: no message")


def only_and_skip(place):
    """--only and --skip leave functions out and change nothing else."""
    program = place.build("damaged.c")
    bare = running.run([program, "3"], place.folder)
    counts = {}
    for name, options in (("all", []), ("only", ["--only", "damaged:*"]),
                          ("one", ["--only", "damaged:fold"]),
                          ("skip", ["--skip", "libc.so*:*", "--skip", "ld-linux*:*"])):
        expect_same(bare, place.measure([program, "3"], options=options), name)
        report = place.report()
        counts[name] = {(row["module"], row["function"]): row["calls"] for row in report.rows}
    whole = counts["all"]
    for name in ("only", "one", "skip"):
        wrong = {key for key, calls in counts[name].items() if whole.get(key) != calls}
        expect(not wrong, f"{name}: other counts for {sorted(wrong)[:3]}")
    expect(set(counts["one"]) == {("damaged", "fold")}, f"one: {sorted(counts['one'])[:4]}")
    expect({key[0] for key in counts["only"]} == {"damaged"}, "only: another module has rows")
    expect(not {key[0] for key in counts["skip"]} & {"libc.so.6"}, "skip: libc has rows")
    expect(any(key[0] == "libc.so.6" for key in whole), "all: libc has no rows")


ALIASES = b"""
#include <stdio.h>
int __work_inner(int x) { int s = x; for (int i = 0; i < x; i++) s = s * 3 + i; return s; }
int work(int x) __attribute__((weak, alias("__work_inner")));
int third(int x) __attribute__((weak, alias("__work_inner")));
int main(void) { int s = 0; for (int i = 0; i < 5; i++) s += work(i); puts("five"); return s == 1; }
"""


def aliases(place):
    """A function of several names is shown by the one that people know, and meant by each."""
    source, program = place.write("named.c", ALIASES), place.path("named")
    subprocess.run(["gcc", "-O1", "-fno-inline", source, "-o", program], check=True)
    for options, expected in ((["--only", "named:*work*"], {"third": 5}),
                              (["--only", "named:__work_inner"], {"third": 5}),
                              (["--only", "named:third", "--skip", "named:work"], {}),
                              (["--only", "libc.so.6:puts"], {"puts": 1}),
                              (["--only", "libc.so.6:_IO_puts"], {"puts": 1})):
        outcome = place.measure([program], options=options)
        expect(outcome.status == 0 and b"matches no" not in outcome.stderr,
               f"{options}: {outcome.status_text()}, {outcome.stderr[-200:]!r}")
        calls = {row["function"]: row["calls"] for row in place.report().rows}
        expect(calls == expected, f"{options}: {calls}")


def merged(place):
    """A merged profile shows what its parts do when they are put one behind the other."""
    parts, content = [], b""
    for number, script in enumerate(("expr 1 + 2", "exit 3", "for i in 1 2; do expr $i; done")):
        parts.append(place.path(f"{number}.trm"))
        place.measure(["sh", "-c", script], parts[-1])
        with open(parts[-1], "rb") as file:
            content += file.read()
    behind = place.write("behind.trm", content)
    outcome = running.run([place.tool, "merge", "-o", place.profile, *parts], place.folder)
    expect(outcome.status == 0 and not outcome.stderr, f"{outcome.status_text()}, "
           f"{outcome.stderr[:200]!r}")
    for options in ([], ["--by=module"], ["--by=process", "--verbose"]):
        shown = [running.run([place.tool, "report", "--all", *options, path], place.folder)
                 for path in (behind, place.profile)]
        expect(shown[0].stdout, f"no report: {shown[0].stderr[:200]!r}")
        expect_same(shown[0], shown[1], f"report {options}")
    expect(os.path.getsize(place.profile) < len(content), "it is not smaller than its parts")
    outcome = running.run([place.tool, "merge", "-o", place.profile, behind, "/dev/null"],
                          place.folder)
    expect(outcome.status == 4, f"an empty input: {outcome.status_text()}")
    expect(not os.path.exists(place.profile + ".part"), "a part is left")
    place.report()


def different(place):
    """Equal runs differ in nothing; one that does more is told by the functions and status 1."""
    place.write("text", b"one two three\n" * 5000)
    for name, level in (("a.trm", "-6"), ("b.trm", "-6"), ("c.trm", "-1")):
        place.measure(["gzip", "-c", level, "text"], place.path(name))

    def diff(second, *options):
        return running.run([place.tool, "diff", "--module=gzip", *options, "a.trm", second],
                           place.folder)
    equal = diff("b.trm")
    expect(equal.status == 0, f"equal runs: {equal.status_text()}, {equal.stdout[:300]!r}")
    outcome = diff("c.trm", "--json")
    expect(outcome.status == 1, f"another run: {outcome.status_text()}")
    rows = {row["function"]: row for row in json.loads(outcome.stdout)["rows"]}
    expect(rows, "no functions, though the exit status is 1")
    for side in "ac":
        report = place.report(place.path(f"{side}.trm"))
        for name, row in rows.items():
            calls = report.calls(name, "gzip") or 0
            expect(row["a" if side == "a" else "b"] == calls,
                   f"{name}: {row}, though the report of {side}.trm has {calls} calls")


def tracefile(content):
    """{source file: {function: (line, calls)}} of an lcov tracefile; its grammar is checked."""
    files, lines, calls, path, totals = {}, {}, {}, None, {}
    for record in content.decode().splitlines():
        kind, _, value = record.partition(":")
        if kind == "SF":
            path, lines, calls, totals = value, {}, {}, {}
        elif kind == "FN":
            line, name = value.split(",")
            lines[name] = int(line)
        elif kind == "FNDA":
            count, name = value.split(",")
            calls[name] = int(count)
        elif kind in ("FNF", "FNH", "LF", "LH"):
            totals[kind] = int(value)
        elif kind == "end_of_record":
            expect(set(lines) == set(calls), f"{path}: FN and FNDA of different functions")
            expect(totals["FNF"] == len(lines) and totals["FNH"] == sum(map(bool, calls.values())),
                   f"{path}: totals {totals}, but {calls}")
            files[path] = {name: (line, calls[name]) for name, line in lines.items()}
        else:
            expect(kind == "DA" or record == "TN:", f"unknown record '{record}'")
    return files


def covered(place):
    """A tracefile has all functions of a program's source, with its calls; lcov reads it."""
    source = os.path.join(sources.FOLDER, "lib", "damaged.c")
    with open(source, encoding="utf-8") as file:
        text = file.read()
    place.write("copy.c", (text + "\nKEPT int never(int n);\nKEPT int never(int n)\n{\n\treturn n / 7 + n % 11;\n}\n").encode())
    program = place.path("copy")
    subprocess.run(["gcc", "-g", "-O1", "-I", os.path.dirname(source), "-o", program,
                    place.path("copy.c")], check=True, capture_output=True)
    place.measure([program, "3"])

    def coverage(*options):
        return running.run([place.tool, "coverage", "--module=copy", *options, place.profile],
                           place.folder)
    outcome = coverage("--lcov")
    expect(outcome.status == 0 and not outcome.stderr,
           f"{outcome.status_text()}, {outcome.stderr[:200]!r}")
    files = tracefile(outcome.stdout)
    functions = files[place.path("copy.c")]
    report, copied = place.report(), text.count("\n")
    expect(functions.pop("never", None) == (copied + 3, 0), f"'never' is not missed: {functions}")
    expect("choose" in functions and "main" in functions, f"functions: {sorted(functions)}")
    for name, (line, calls) in functions.items():
        expect(calls == report.calls(name, "copy"),
               f"{name}: {calls}, though the report has {report.calls(name, 'copy')}")
        expect(f" {name}(" in text.splitlines()[line - 1], f"{name} is not at line {line}")
    if shutil.which("genhtml"):
        place.write("copy.info", outcome.stdout)
        made = running.run(["genhtml", "-o", "html", "copy.info"], place.folder)
        expect(made.status == 0, f"genhtml: {made.status_text()}, {made.stderr[-200:]!r}")
        expect(os.path.exists(place.path("html/index.html")), "genhtml: no page")
    # Another build under the same name: nothing is said of what was not executed.
    subprocess.run(["gcc", "-g", "-O2", "-I", os.path.dirname(source), "-o", program,
                    place.path("copy.c")], check=True, capture_output=True)
    outcome = coverage("--functions", "--all")
    expect(b"another build" in outcome.stdout and b"never" not in outcome.stdout,
           f"after a new build: {outcome.stdout[-300:]!r}")


def verbose(place):
    """Functions that are left alone are named with the reason under --verbose."""
    program = place.path("odd_entries")
    sources.compile_one(["gcc", "-O2", "lib/odd.S"], ["odd_entries.c"], program)
    command = [place.tool, "run", "-o", place.profile, "--", program]
    plain = running.run(command, place.folder).stderr.decode(errors="replace")
    command.insert(2, "--verbose")
    named = running.run(command, place.folder).stderr.decode(errors="replace")
    expect("not instrumented" in plain, f"nothing is said to be left out: {plain[-200:]!r}")
    expect("starts_rep" in named, f"starts_rep is not named: {named[-300:]!r}")


TESTS = [no_folder, is_a_folder, no_right, disk_full, size_limit, replaced, default_name,
         summary, torn, damaged, no_profile, only_and_skip, aliases,
         merged, different, covered, verbose]
