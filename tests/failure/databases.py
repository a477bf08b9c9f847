"""Profile databases: damaged, full, killed writers, and what is none."""

import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import time

from failure.common import expect, lines_of
from transparency import running
from transparency.results import Skip

KILLS = 40
# Then a quarter of them is enough: the machine has much else to do.
KILL_SECONDS = 1e9 if os.environ.get("TRAMMEL_KILLS") == "all" else 5


def ask(place, *words, database=None, **how):
    return running.run([place.tool, "db", "--db", database or place.path("p.db"), *words], place.folder, **how)


def rows(place, verb, *words, key=None, **how):
    outcome = ask(place, verb, "--json", "--all", *words, **how)
    expect(outcome.status_text() == "exit 0", f"db {verb}: {lines_of(outcome.stderr)}")
    return json.loads(outcome.stdout)[key or verb]


def begin(place, measure="functions"):
    """A profile, and a database with it."""
    if b"libsqlite3-dev" in ask(place, "runs").stderr:
        raise Skip("trammel was built without SQLite")
    command = [place.tool, "run", "-q", "-m", measure, "-o", place.profile, "--", "/bin/true"]
    outcome = running.run(command, place.folder)
    expect(outcome.status_text() == "exit 0", f"run: {lines_of(outcome.stderr)}")
    outcome = ask(place, "add", place.profile)
    expect(outcome.status_text() == "exit 0", f"add: {lines_of(outcome.stderr)}")


def expect_line(outcome, status, *words):
    lines = lines_of(outcome.stderr)
    expect(outcome.status_text() == f"exit {status}", f"{outcome.status_text()}: {lines[:2]}")
    expect(len(lines) == 1, f"not one line: {lines[:3]}")
    expect(": :" not in lines[0], f"nothing between two colons: {lines[0]!r}")
    for word in words:
        expect(word in lines[0], f"'{word}' is not in {lines[0]!r}")


def expect_sound(place, **how):
    outcome = ask(place, "check", **how)
    expect(outcome.status_text() == "exit 0", f"check: {lines_of(outcome.stdout)}")


def exported(place):
    """What is added comes back: the same report, and the same code with its counts."""
    begin(place, "edges")
    back = place.path("back")
    os.mkdir(back)
    back = os.path.join(back, os.path.basename(place.profile))
    expect(ask(place, "export", "-o", back).status_text() == "exit 0", "export failed")
    for words in (["report", "--json", "--all"], ["report"], ["report", "--check"],
                  ["query", "select * group by function,block,edge order by function"]):
        outcomes = [running.run([place.tool, *words, os.path.basename(path)], os.path.dirname(path))
                    for path in (place.profile, back)]
        expect(outcomes[0].stdout and outcomes[0].stdout == outcomes[1].stdout,
               f"{words} of what was exported is different")


def killed_writers(place):
    """At whatever moment a writer is killed: what was there is there, whole."""
    begin(place, "edges")
    chance = random.Random(1)
    begun = time.monotonic()
    expect(ask(place, "add", "--again", place.profile).status_text() == "exit 0", "add failed")
    whole = time.monotonic() - begun
    done = 2
    base = sqlite3.connect(place.path("p.db"))
    until = time.monotonic() + KILL_SECONDS
    for kill in range(KILLS):
        if kill > KILLS / 4 and time.monotonic() > until:
            break
        child = subprocess.Popen([place.tool, "db", "--db", place.path("p.db"), "add", "--again", place.profile],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(chance.random() * whole * 1.2)
        child.send_signal(signal.SIGKILL)
        said = child.communicate()[0]
        there = base.execute("SELECT count(*) FROM runs").fetchone()[0]
        expect(there - done in (0, 1), f"{done} runs became {there}")
        expect(there == done + 1 or not said, "a run is gone that was said to be there")
        done = there
    base.close()
    expect_sound(place)
    numbers = {row["value"] for row in rows(place, "top", "--by", "run")}
    expect(len(numbers) == 1, f"runs of one profile have different numbers: {numbers}")
    expect(done < kill + 2, "no writer was killed in time")


def readers_and_writer(place):
    """A reader that is in the middle does not hold up the writer, and sees one state."""
    begin(place)
    reader = sqlite3.connect(place.path("p.db"), isolation_level=None)
    reader.execute("BEGIN")
    expect(reader.execute("SELECT count(*) FROM runs").fetchone() == (1,), "not one run")
    expect(ask(place, "add", "--again", place.profile, timeout=20).status_text() == "exit 0", "the writer waited")
    expect(reader.execute("SELECT count(*) FROM runs").fetchone() == (1,), "the reader sees another state")
    reader.close()
    expect(len(rows(place, "runs")) == 2, "not two runs")


def writers_together(place):
    """Writers wait for each other: all profiles are there."""
    begin(place)
    writers = [subprocess.Popen([place.tool, "db", "--db", place.path("p.db"), "add", "--again", place.profile],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(16)]
    for writer in writers:
        said = writer.communicate()[1]
        expect(writer.returncode == 0, f"add: {said!r}")
    expect(len(rows(place, "runs")) == 17, "not 17 runs")
    expect_sound(place)


def damaged(place):
    """A page of counts is overwritten: said by check, and the other runs are salvaged."""
    begin(place, "edges")
    expect(ask(place, "add", "--again", place.profile).status_text() == "exit 0", "add failed")
    path = place.path("p.db")
    base = sqlite3.connect(path)
    pages = [row[0] for row in base.execute("SELECT pageno FROM dbstat WHERE name='counts' AND pagetype='leaf'")] \
        if "ENABLE_DBSTAT_VTAB" in {row[0] for row in base.execute("PRAGMA compile_options")} else []
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    base.close()
    if not pages:
        raise Skip("this SQLite does not tell where pages are")
    with open(path, "r+b") as file:
        file.seek((pages[len(pages) // 2] - 1) * 4096)
        file.write(b"\xa5" * 4096)
    outcome = ask(place, "check")
    expect(outcome.status_text() == "exit 1", f"check: {outcome.status_text()}")
    expect(b"db check --repair" in outcome.stdout, f"check: {outcome.stdout!r}")
    expect_line(ask(place, "cat", "--json"), 4, "damaged", "--repair")
    outcome = ask(place, "check", "--repair")
    expect(outcome.status_text() == "exit 0", f"repair: {lines_of(outcome.stderr)}")
    expect(b"counts" in outcome.stdout and b".damaged" in outcome.stdout, f"repair: {outcome.stdout!r}")
    expect_sound(place)
    expect(len(rows(place, "runs")) == 2, "a run is gone")
    expect(rows(place, "top"), "no numbers are left")
    expect(os.path.exists(path + ".damaged"), "the damaged file is gone")


def list_damaged(place):
    """The list of the tables is damaged: their names, and how they were made. All rows are salvaged."""
    begin(place)
    path = place.path("p.db")
    base = sqlite3.connect(path)
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    base.close()
    with open(path, "rb") as file:
        sound = file.read()
    numbers = ask(place, "cat", "--json").stdout
    for before, after in ((b"CREATE TABLE counts(", b"CREATE TABLE counts#"), (b"CREATE TABLE rests", b"CREATE TABLE rextx"),
                          (b"tablerunsruns", b"tablerunsrunz"), (b"CREATE UNIQUE INDEX nodes_key", b"CREATE UNIQUE INDEX nodes_ket"),
                          (b"tableepochsepochs", b"tabluepoxhsepochs"), (b"thread, interval))", b"thread, intervax))")):
        expect(sound.count(before) == 1, f"{sound.count(before)} of {before}")
        for name in os.listdir(place.folder):
            if name.startswith("p.db"):
                os.remove(place.path(name))
        with open(path, "wb") as file:
            file.write(sound.replace(before, after))
        outcome = ask(place, "check", "--repair")
        expect(outcome.status_text() == "exit 0", f"{after}: {lines_of(outcome.stderr)}")
        expect_sound(place)
        expect(ask(place, "cat", "--json").stdout == numbers, f"{after}: other numbers than before")
    expect_line(ask(place, "check", "--repair"), 4, "move what is there away")
    with open(path, "wb") as file:
        file.write(sound[:4000].replace(b"table", b"tab\xffe"))
    expect_line(ask(place, "check", "--repair"), 4, "from a backup")


def contradictions(place):
    """Tables that contradict each other, in a sound file: found, and mended."""
    begin(place)
    base = sqlite3.connect(place.path("p.db"))
    base.execute("UPDATE nodes SET parent=id + 1 WHERE id=(SELECT max(id) - 1 FROM nodes)")
    base.execute("DELETE FROM contexts WHERE id=(SELECT min(id) FROM contexts)")
    base.commit()
    base.close()
    outcome = ask(place, "check")
    expect(outcome.status_text() == "exit 1", f"check: {outcome.status_text()}")
    for words in (b"1 nodes below themselves", b"1 counts without a context"):
        expect(words in outcome.stdout, f"check: {outcome.stdout!r}")
    expect_line(ask(place, "export", "-o", place.path("back.trm")), 4, "damaged")
    expect(ask(place, "check", "--repair").status_text() == "exit 0", "repair failed")
    expect_sound(place)
    expect(ask(place, "export", "-o", place.path("back.trm")).status_text() == "exit 0", "export failed")


def calculated(place):
    """Cycles of instructions: with exact executions, and with estimated ones; what other commands show of the runs."""
    begin(place)
    program = place.path("split")
    source = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "samples", "split.c")
    subprocess.run(["gcc", "-O2", source, "-o", program], check=True)
    outcome = running.run([place.tool, "run", "-q", "-m", "samples,blocks", "--db", place.path("p.db"), "-o",
                           place.path("split.trm"), "--", program], place.folder)
    expect(outcome.status_text() == "exit 7", f"run: {lines_of(outcome.stderr)}")
    calls = {row["function"]: row["value"] for row in rows(place, "top", "--event", "calls", "--run", "2")}["heavy_step"]
    instructions = rows(place, "calc", "heavy_step", "--run", "2", key="instructions")
    expect({row["confidence"] for row in instructions} == {"exact"}, f"{instructions}")
    loop = [row for row in instructions if row["executed"] == calls * 50000]
    expect(len(loop) >= 3, f"no loop that runs 50000 times in {calls} calls: {instructions}")
    samples = {row["function"]: row["value"] for row in rows(place, "top", "--run", "2")}
    expect(sum(row["samples"] for row in instructions) == samples["heavy_step"], "other samples")
    expect(any(row["cycles"] > 0 for row in loop) and all(row["least"] > 0 for row in loop), f"{loop}")
    guessed = rows(place, "calc", "heavy_step", "--run", "2", "--estimate", key="instructions")
    expect({row["confidence"] for row in guessed} <= {"low", "medium", "high", "none"}, f"{guessed}")
    most = max(row["executed"] for row in guessed)
    expect(all((row["executed"] == most) == (row["block"] == loop[0]["block"]) for row in guessed), f"{guessed}")
    outcome = ask(place, "whatcg", "--run", "2", "--estimate", "--function", "*_step")
    for words in (b"known well", b"within 5 %", b"by the relations alone: 100 % within 5 %", b"heavy_step"):
        expect(words in outcome.stdout, f"whatcg: {outcome.stdout!r}")
    stalls = rows(place, "topstalls", "--run", "2", key="instructions")
    expect(stalls == sorted(stalls, key=lambda row: -row["stall"]), "topstalls are not sorted")
    top = rows(place, "topcounts", "--run", "2", key="places")
    expect(sum(row["value"] for row in top) == sum(row["value"] for row in rows(place, "top", "--run", "2")), "topcounts")
    for verb, word in (("annotate heavy_step", b"samples"), ("flow heavy_step", b"digraph"), ("coverage", b"split.c"),
                       ("calc no_such", b"")):
        outcome = ask(place, *verb.split(), "--run", "2")
        expect(word in outcome.stdout, f"{verb}: {lines_of(outcome.stdout)[:5]}")
    expect_line(ask(place, "values", "--run", "2"), 2, "no values")
    expect_line(ask(place, "calc", "heavy_step", "--run", "2", "--ghz", "x"), 2, "--ghz")


def strange_files(place):
    """What is no database, is empty, is another's, or of a later version."""
    begin(place)
    path = place.path("p.db")
    os.rename(path, place.path("good.db"))
    place.write("p.db", b"this is a text and no database\n" * 300)
    expect_line(ask(place, "top"), 4, "p.db", "not a database")
    expect_line(ask(place, "add", place.profile), 4, "p.db", "not a database")
    place.write("p.db", b"")
    expect_line(ask(place, "top"), 4, "empty")
    os.unlink(path)
    expect_line(ask(place, "top"), 4, "No such file")
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE mine(a)")
    other.commit()
    other.close()
    expect_line(ask(place, "add", place.profile), 4, "another program")
    os.rename(place.path("good.db"), path)
    later = sqlite3.connect(path)
    later.execute("PRAGMA user_version=99")
    later.commit()
    later.close()
    expect_line(ask(place, "top"), 4, "later trammel", "99")
    expect_line(ask(place, "add", place.profile), 4, "later trammel", "99")


def write_protected(place):
    """A database that may only be read is read, and not written to."""
    begin(place)
    path, folder = place.path("p.db"), place.path("closed")
    os.mkdir(folder)
    os.rename(path, os.path.join(folder, "p.db"))
    os.chmod(os.path.join(folder, "p.db"), 0o444)
    os.chmod(folder, 0o555)
    os.chmod(place.folder, 0o755)
    profile = place.profile
    os.chmod(profile, 0o644)

    def drop():
        if os.geteuid() == 0:
            os.setgroups([])
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)

    def asked(*words):
        return subprocess.run([place.tool, "db", "--db", os.path.join(folder, "p.db"), *words], cwd="/",
                              capture_output=True, preexec_fn=drop, check=False)

    try:
        top = asked("top")
        if top.returncode == 126 or b"ermission" in top.stderr:
            raise Skip("an ordinary user cannot get here")
        expect(top.returncode == 0 and top.stdout, f"top: {top.stderr!r}")
        added = asked("add", "--again", profile)
        lines = lines_of(added.stderr)
        expect(added.returncode == 4 and len(lines) == 1 and "write-protected" in lines[0], f"add: {lines}")
    except PermissionError as error:
        raise Skip("an ordinary user cannot run the program") from error
    finally:
        os.chmod(folder, 0o755)


def no_room(place):
    """A file that cannot grow: one line, and what was there is there."""
    begin(place, "edges")
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))

    outcome = subprocess.run([place.tool, "db", "--db", place.path("p.db"), "add", "--again", place.profile],
                             capture_output=True, preexec_fn=limit, check=False)
    lines = lines_of(outcome.stderr)
    expect(outcome.returncode == 4 and len(lines) == 1, f"add: {outcome.returncode} {lines}")
    expect("cannot be written" in lines[0] or "disk is full" in lines[0], f"add: {lines}")
    expect_sound(place)
    expect(len(rows(place, "runs")) == 1, "not one run")


def full_disk(place):
    """The same on a disk that is full."""
    begin(place, "edges")
    disk = place.path("disk")
    os.mkdir(disk)
    script = (f"mount -t tmpfs -o size=300k none {disk} || exit 77; "
              f"exec {place.tool} db --db {disk}/p.db add {place.profile}")
    outcome = running.run(["unshare", "-rm", "sh", "-c", script], place.folder)
    if outcome.status_text() in ("exit 77", "exit 1", "exit 127"):
        raise Skip("needs a disk of its own (unshare -rm)")
    expect_line(outcome, 4, "disk is full")
    # The disk becomes full while the program runs: its status is its own, and a line says what is missing.
    script = (f"mount -t tmpfs -o size=300k none {disk} || exit 77; exec {place.tool} run -q --db {disk}/p.db "
              f"-o {place.profile} -- sh -c 'head -c 400000 /dev/zero > {disk}/f 2> {disk}/none; exit 3'")
    outcome = running.run(["unshare", "-rm", "sh", "-c", script], place.folder)
    expect_line(outcome, 3, "is not in the database", "disk is full")


def run_adds(place):
    """`run --db`: the run is in the database; where that cannot be, nothing is run."""
    begin(place)
    path = place.path("p.db")
    outcome = running.run([place.tool, "run", "-q", "--db", path, "-o", place.profile, "--", "/bin/true"],
                          place.folder)
    expect(outcome.status_text() == "exit 0", f"run: {lines_of(outcome.stderr)}")
    expect([row["command"] for row in rows(place, "runs")] == ["/bin/true"] * 2, "the run is not there")
    bad = place.write("bad.db", b"no database " * 1000)
    trace = place.path("trace")
    outcome = running.run([place.tool, "run", "-q", "--db", bad, "-o", place.profile, "--", "touch", trace],
                          place.folder)
    expect_line(outcome, 4, "bad.db", "not a database")
    expect(not os.path.exists(trace), "the program was run")


def nothing_made(place):
    """What fails makes no database, nor files beside one; and what only asks makes none."""
    begin(place)
    made = place.path("made.db")
    bad = place.write("bad.trm", b"no profile")
    empty = place.path("empty.db")
    base = sqlite3.connect(place.path("p.db"))
    with sqlite3.connect(empty) as other:
        other.executescript("\n".join(base.iterdump()))
        for table in ("profiles", "runs"):
            other.execute(f"DELETE FROM {table}")
        for pragma in ("application_id", "user_version"):
            other.execute(f"PRAGMA {pragma}={base.execute('PRAGMA ' + pragma).fetchone()[0]}")
    other.close()
    base.close()
    for question in ("add no_such.trm", f"add {bad}", "merge no_such.db", f"merge {bad}", "runs", "top", "list x", "stats", "cat",
                     "diff 1 2", "calc x", "whatcg", "annotate x", "coverage", "values", "export -o back.trm", "check",
                     "check --repair", "label x", "gc"):
        outcome = ask(place, *question.split(), database=made)
        expect_line(outcome, 4)
        left = [name for name in os.listdir(place.folder) if name.startswith(("made.db", "back.trm"))]
        expect(not left, f"{question} left {left}")
    expect(ask(place, "merge", empty, database=made).status_text() == "exit 0", "merge of an empty one")
    for command in (["no_such_program"], ["/bin/true"]):
        path = made if command == ["no_such_program"] else place.path("no_folder/made.db")
        outcome = running.run([place.tool, "run", "-q", "--db", path, "-o", place.path("x.trm"), "--", *command], place.folder)
        expect(outcome.status_text() != "exit 0", f"run of {command}")
        expect(not os.path.exists(made), f"run of {command} made a database")
    # What is there stays, whoever fails then; and what was added before a failure.
    outcome = ask(place, "add", place.profile, "no_such.trm", database=made)
    expect_line(outcome, 4, "no_such.trm")
    expect(len(rows(place, "runs", database=made)) == 1, "the run in front of the failure is gone")
    expect_line(ask(place, "add", "no_such.trm", database=made), 4)
    expect(len(rows(place, "runs", database=made)) == 1, "the database is gone")


TESTS = [exported, nothing_made, calculated, killed_writers, readers_and_writer, writers_together, damaged, list_damaged, contradictions, strange_files, write_protected, no_room, full_disk,
         run_adds]
