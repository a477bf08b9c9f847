"""The daemon: killed at any moment, a full disk, two of them, files that change, and code that it is told of."""

import datetime
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import time

from failure.common import expect, lines_of
from failure.databases import ask, begin, expect_line, expect_sound, rows
from transparency import running
from transparency.results import Skip

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KILLS = 100
# Then a quarter of them is enough: the machine has much else to do. `check all` has all of them.
KILL_SECONDS = 1e9 if os.environ.get("TRAMMEL_KILLS") == "all" else 15


class Daemon:
    """One that runs; its log is a list of lines."""

    count = 0

    def __init__(self, place, *options, flush="0.2", database=None, environment=()):
        Daemon.count += 1
        self.place, self.log = place, place.path(f"log-{Daemon.count}")
        self.database = database or place.path("p.db")
        with open(self.log, "wb") as log:
            self.child = subprocess.Popen([place.tool, "daemon", "--db", self.database, "--flush", flush, "--no-gc",
                                           *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                          env={**os.environ, **dict(environment)})

    def lines(self):
        with open(self.log, encoding="utf-8") as log:
            return log.read().splitlines()

    def wait_for(self, word, seconds=20):
        until = time.monotonic() + seconds
        while not any(word in line for line in self.lines()):
            if self.child.poll() is not None and any("perf events" in line for line in self.lines()):
                raise Skip("perf events are forbidden")
            expect(self.child.poll() is None, f"it ended: {self.lines()[-2:]}")
            expect(time.monotonic() < until, f"no '{word}' in the log: {self.lines()[-2:]}")
            time.sleep(0.02)

    def ask(self, *words):
        outcome = running.run([self.place.tool, "daemon", "--db", self.database, *words], self.place.folder,
                              timeout=120)
        expect(outcome.status_text() == "exit 0", f"{words}: {lines_of(outcome.stderr)}")
        return outcome.stdout.decode()

    def taken(self):
        words = self.ask("--status").split()
        return int(words[words.index("taken:") + 1].rstrip(","))

    def end(self, how=signal.SIGTERM):
        self.child.send_signal(how)
        return self.child.wait(120)


def start(place, *options, **how):
    if b"libsqlite3-dev" in ask(place, "runs").stderr:
        raise Skip("trammel was built without SQLite")
    daemon = Daemon(place, *options, **how)
    try:
        daemon.wait_for(" samples ")
    except BaseException:
        daemon.child.kill()
        daemon.child.wait()
        raise
    return daemon


class Busy:
    """A process that has something to sample."""

    def __init__(self, command):
        self.child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self.child

    def __exit__(self, *_):
        self.child.kill()
        self.child.communicate()


def compile_program(place, source, name, *options):
    path = place.path(name)
    subprocess.run(["gcc", "-O2", "-g", *options, os.path.join(HERE, source), "-o", path], check=True)
    return path


def samples_in(place):
    base = sqlite3.connect(place.path("p.db"))
    total = base.execute("SELECT sum(s.value) FROM sums s JOIN events e ON e.id=s.event WHERE e.name LIKE 'samples:%'")
    number = total.fetchone()[0] or 0
    base.close()
    return number


def functions(place, *options):
    """Those that have samples; nothing at all is an error of `top`."""
    outcome = ask(place, "top", "--json", "--all", *options)
    return {row["function"]: row for row in json.loads(outcome.stdout)["top"]} if outcome.stdout else {}


def wait_for_function(place, name, *options, seconds=60):
    """Its row, once it has samples: on a machine that is busy that takes a while."""
    until = time.monotonic() + seconds
    while name not in (found := functions(place, *options)):
        expect(time.monotonic() < until, f"no {name} in {sorted(found)[:20]}")
        time.sleep(0.1)
    return found[name]


def ended_by_signals(place):
    """SIGTERM and SIGINT end it when all is written; it leaves no files but the database."""
    program = compile_program(place, "samples/split.c", "split")
    for how in (signal.SIGTERM, signal.SIGINT):
        daemon = start(place, flush="3600")
        with Busy([program, "on"]):
            time.sleep(0.5)
            expect(daemon.end(how) == 0, f"status {daemon.child.returncode}: {daemon.lines()[-1:]}")
        expect(any(" ends: " in line for line in daemon.lines()), "it does not say it")
        left = sorted(name for name in os.listdir(place.folder) if name.startswith("p.db"))
        expect(left == ["p.db"], f"files: {left}")
        wait_for_function(place, "heavy_step")
    expect_sound(place)


def killed(place):
    """Killed at any moment: the database is sound, and what was written stays."""
    start(place).end()
    chance = random.Random(2)
    before = samples_in(place)
    until = time.monotonic() + KILL_SECONDS
    with Busy([compile_program(place, "samples/split.c", "split"), "on"]):
        for kill in range(KILLS):
            if kill > KILLS / 4 and time.monotonic() > until:
                break
            daemon = Daemon(place, flush="0.02")
            time.sleep(chance.random() * 0.15)
            daemon.child.kill()
            daemon.child.wait()
            now = samples_in(place)
            expect(now >= before, f"{before} samples became {now}")
            before = now
    expect_sound(place)
    expect(before > 0, "nothing was ever written")
    return f"killed {kill + 1} times"


def killed_after_flush(place):
    """What was sampled before the last writing is there after a kill."""
    with Busy([compile_program(place, "samples/split.c", "split"), "on"]):
        daemon = start(place, flush="3600")
        while not (taken := daemon.taken()):
            time.sleep(0.1)
        daemon.ask("--flush-now")
        daemon.child.kill()
        daemon.child.wait()
    there = samples_in(place)
    expect(taken and there >= taken, f"{taken} samples were taken, {there} are there")
    expect_sound(place)
    # The next one is not kept from beginning by what the killed one left.
    daemon = start(place)
    expect(daemon.end() == 0, f"the next one fails: {daemon.lines()[-1:]}")


def two_of_them(place):
    """A second daemon of a database ends with a line; so does asking where there is none."""
    daemon = start(place)
    outcome = running.run([place.tool, "daemon", "--db", place.path("p.db")], place.folder)
    expect_line(outcome, 2, "has a daemon already", str(daemon.child.pid), "--stop")
    os.symlink(place.path("p.db"), place.path("other.db"))
    outcome = running.run([place.tool, "daemon", "--db", place.path("other.db")], place.folder)
    expect_line(outcome, 2, "has a daemon already")
    expect(daemon.ask("--stop") == "ended\n", "--stop")
    expect(daemon.child.wait(20) == 0, f"status {daemon.child.returncode}")
    outcome = running.run([place.tool, "daemon", "--db", place.path("p.db"), "--status"], place.folder)
    expect_line(outcome, 4, "has no daemon")


def full_disk(place):
    """Without room it goes on in memory, says so once, and writes all when there is room again."""
    with Busy([compile_program(place, "samples/split.c", "split"), "on"]):
        daemon = start(place)
        limits = resource.prlimit(daemon.child.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(daemon.child.pid, resource.RLIMIT_FSIZE, (4096, limits[1]))
        daemon.wait_for("cannot write: ")
        time.sleep(0.5)
        expect("trouble:" in daemon.ask("--status"), "--status does not say it")
        written, taken = samples_in(place), daemon.taken()
        expect(written < taken, "nothing is missing")
        resource.prlimit(daemon.child.pid, resource.RLIMIT_FSIZE, limits)
        daemon.wait_for("writes again")
        expect(samples_in(place) >= taken, "samples are gone")
        expect(daemon.end() == 0, "it failed")
    expect(sum("cannot write" in line for line in daemon.lines()) == 1, "it says it more than once")
    expect_sound(place)


def memory_full(place):
    """Without room for a long time samples are dropped, within the bound, and it says how many; then it goes on."""
    program = compile_program(place, "daemon/many_places.c", "many")
    daemon = start(place, "--memory", "1", "--frequency", "10000", "--own")
    limits = resource.prlimit(daemon.child.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(daemon.child.pid, resource.RLIMIT_FSIZE, (4096, limits[1]))
    with Busy([program]):
        daemon.wait_for("memory is full (1 MB)", seconds=120)
        status = daemon.ask("--status")
    dropped = int(status.split("dropped ")[1].split()[0])
    words = status.split("in memory:")[1].split()
    expect(dropped > 0 and int(words[0]) <= int(words[5]), f"{status}")
    resource.prlimit(daemon.child.pid, resource.RLIMIT_FSIZE, limits)
    daemon.wait_for("writes again", seconds=60)
    expect(daemon.end() == 0, "it failed")
    expect_sound(place)


def database_damaged(place):
    """A database that is damaged, made read-only or replaced while the daemon runs: said; what was sampled is not lost."""
    with Busy([compile_program(place, "samples/split.c", "split"), "on"]):
        daemon = start(place)
        daemon.ask("--flush-now")
        path = place.path("p.db")
        os.rename(path, place.path("good.db"))
        for end in ("-wal", "-shm"):
            if os.path.exists(path + end):
                os.rename(path + end, place.path("good.db" + end))
        place.write("p.db", b"no database at all " * 500)
        daemon.wait_for("not a database", seconds=60)
        taken = daemon.taken()
        os.unlink(path)
        daemon.wait_for("writes again", seconds=60)
        expect(daemon.end() == 0, "it failed")
    there = samples_in(place)
    os.rename(place.path("p.db"), place.path("second.db"))
    os.rename(place.path("good.db"), path)
    expect(there > 0 and there + samples_in(place) >= taken, f"{there} samples in the new one, {taken} were taken")


def clock_set_back(place):
    """A clock that is set back by a day, and on again: hours of other names, and all samples."""
    clock = place.write("clock", b"0")
    shim = place.path("clock.so")
    subprocess.run(["gcc", "-O1", "-fPIC", "-shared", os.path.join(HERE, "daemon/clock.c"), "-o", shim], check=True)
    with Busy([compile_program(place, "samples/split.c", "split"), "on"]):
        daemon = start(place, environment={"TRAMMEL_TEST_CLOCK": clock, "LD_PRELOAD": shim})
        wait_for_function(place, "heavy_step")
        for runs, seconds in ((2, -86400), (3, 7200)):
            with open(clock, "w", encoding="ascii") as file:
                file.write(str(seconds))
            until = time.monotonic() + 60
            while len(rows(place, "runs")) < runs and time.monotonic() < until:
                time.sleep(0.1)
        taken = daemon.taken()
        expect(daemon.end() == 0, f"it failed: {daemon.lines()[-1:]}")
    expect(samples_in(place) >= taken, f"{samples_in(place)} of {taken} samples are there")
    hours = {row["start"][:13] for row in rows(place, "runs")}
    expect(len(hours) >= 3, f"runs begin at {hours}")
    expect_sound(place)


def file_replaced(place):
    """A program that is replaced by another build of it, while the first one runs, is another image."""
    first = compile_program(place, "samples/split.c", "split", "-Wl,--build-id=0x1111")
    second = compile_program(place, "samples/split.c", "second", "-O1", "-Wl,--build-id=0x2222")
    daemon = start(place)
    with Busy([first, "on"]):
        wait_for_function(place, "heavy_step", "--image", "1111")
        os.rename(second, first)
        with Busy([first, "on"]):
            row = wait_for_function(place, "heavy_step", "--image", "2222")
    daemon.end()
    expect(row["image"] == first, f"{row}")
    builds = {row["build"] for row in rows(place, "images") if row["path"] == first}
    expect(builds == {"1111", "2222"}, f"builds {builds}")


def code_told_of(place):
    """Code that a process maps by hand is known when the daemon is told; and code that a map for perf names."""
    mapped = compile_program(place, "daemon/mapped.c", "mapped", "-Wl,-z,noseparate-code")
    generated = compile_program(place, "samples/generated.c", "generated")
    daemon = start(place)
    with Busy([mapped]) as child:
        daemon.ask("--register", child.stdout.readline().decode().strip())
        subprocess.run([generated, "map"], check=True, stdout=subprocess.DEVNULL)
        wait_for_function(place, "made first")
        row = wait_for_function(place, "copied_loop")
    daemon.end()
    expect(row["image"] == mapped, f"{row}")
    outcome = running.run([place.tool, "daemon", "--db", place.path("p.db"), "--register", "1 2 3 x"], place.folder)
    expect_line(outcome, 4, "no daemon")


def epochs_and_labels(place):
    """SIGHUP begins an epoch, a request labels what comes; runs have them."""
    daemon = start(place, "--label", "one")
    time.sleep(0.2)
    daemon.child.send_signal(signal.SIGHUP)
    daemon.wait_for("begins")
    daemon.ask("--new-label", "two")
    time.sleep(0.3)
    daemon.end()
    labels = {(row["epoch"], row["labels"]) for row in rows(place, "runs")}
    expect({label for _, label in labels} >= {"one", "two"}, f"{labels}")
    expect(len({epoch for epoch, _ in labels}) == 2, f"{labels}")


def reader_does_not_block(place):
    """A reader in the middle of a transaction does not keep it from writing."""
    daemon = start(place)
    daemon.ask("--flush-now")
    base = sqlite3.connect(place.path("p.db"), isolation_level=None)
    base.execute("BEGIN")
    before = base.execute("SELECT sum(value) FROM counts").fetchone()
    with Busy([compile_program(place, "samples/split.c", "split"), "on"]):
        time.sleep(0.3)
    daemon.ask("--flush-now")
    expect(base.execute("SELECT sum(value) FROM counts").fetchone() == before, "the reader sees another state")
    base.close()
    expect(daemon.end() == 0, "it failed")
    expect(samples_in(place) > 0 and not any("cannot write" in line for line in daemon.lines()), "it did not write")


def own_processes(place):
    """As an ordinary user: those of the user, also what they make; and the report of it can be exported."""
    if os.geteuid() != 0:
        raise Skip("it needs another user")
    program = compile_program(place, "samples/split.c", "split")
    tool = place.path("trammel")
    shutil.copy(place.tool, tool)
    os.chmod(place.folder, 0o777)
    for part in (tool, program):
        os.chmod(part, 0o755)
    above = place.folder
    while above != "/":
        if not os.stat(above).st_mode & 1:
            raise Skip(f"others may not enter {above}")
        above = os.path.dirname(above)
    script = (f"{program} on & {tool} daemon --db p.db --flush 0.5 2>log & sleep 1.5; (sleep 0.1; exec {program} on) & "
              f"sleep 1.2; {tool} daemon --db p.db --stop; kill %1 %3; cat log >&2")
    outcome = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-c", script],
                             cwd=place.folder, capture_output=True, check=False, timeout=60)
    if b"perf events" in outcome.stderr:
        raise Skip("perf events are forbidden")
    expect(b"of this user" in outcome.stderr, f"log: {outcome.stderr!r}")
    wait_for_function(place, "heavy_step")
    back = place.path("back.trm")
    expect(ask(place, "export", "-o", back).status_text() == "exit 0", "export failed")
    outcome = running.run([place.tool, "report", back], place.folder)
    expect(b"heavy_step" in outcome.stdout, f"report: {lines_of(outcome.stderr)}")


WEEKS = 3
DAY = datetime.date(2025, 1, 6)
SCALE = 100          # a real hour has so many times as many places, and samples
PLACES = 500         # draws of places in an hour, from a pool of so many
POOL = 40000
YEAR_BYTES_MAX = 1 << 30

BEGIN_WEEKS = f"""
INSERT INTO images(id, path, build) VALUES(1000, '/lib/lib.so', 'aa');
INSERT INTO attributes(id, name, type, properties) VALUES(100, 'sample.address', 4, 2), (101, 'samples', 1, 34);
INSERT INTO events(id, name, attribute, fold, type, sampled) VALUES(101, 'samples:clock', 101, 'sum', 1, 1),
    (102, 'clock', 101, 'sum', 1, 2);
INSERT INTO functions(id, image, offset, name) SELECT 1000 + v, 1000, v * 256, 'f_' || v FROM numbers WHERE v < {POOL // 50};
CREATE TEMP TABLE drawn AS SELECT h.v AS hour, abs(random() % 1000000) / 1000000.0 AS r FROM numbers h, numbers p
    WHERE h.v < {168 * WEEKS} AND p.v < {PLACES};
CREATE TEMP TABLE places AS SELECT hour, 10000 + CAST(r * r * r * {POOL} AS INTEGER) AS context,
    sum(CAST(1 / (r + 0.01) AS INTEGER)) AS samples FROM drawn GROUP BY 1, 2;
INSERT INTO epochs(name, kind) SELECT strftime('%Y%m%d', :day, v || ' days'), 'day' FROM numbers WHERE v < {7 * WEEKS};
INSERT INTO profiles(id, added, origin, digest) SELECT 1000 + v, '', 'hour', 1000 + v FROM numbers WHERE v < {168 * WEEKS};
INSERT INTO runs SELECT 1000 + v, 1000 + v, 0,
    (SELECT id FROM epochs WHERE name=strftime('%Y%m%d', :day, (v / 24) || ' days')), 1, 'trammel daemon', 'samples',
    strftime('%Y-%m-%dT%H:%M:%SZ', :day, v || ' hours'), 3600000000000, '', 1 FROM numbers WHERE v < {168 * WEEKS};
INSERT INTO run_images SELECT 1000 + v, 1000, 100, 0 FROM numbers WHERE v < {168 * WEEKS};
INSERT INTO sources(id, run, image, thread, interval) SELECT 1000 + v, 1000 + v, 1, -1, -1 FROM numbers
    WHERE v < {168 * WEEKS};
"""

FILL_HOURS = """
INSERT INTO counts SELECT 1000 + hour, context, e.id, samples * CASE e.id WHEN 101 THEN 1 ELSE 1000000 END
    FROM places, events e WHERE e.id IN (101, 102) ORDER BY 1, 2, 3;
INSERT INTO sums SELECT c.event, s.run, x.function, sum(c.value) FROM sources s JOIN counts c ON c.source=s.id
    JOIN contexts x ON x.id=c.context WHERE s.run >= 1000 GROUP BY 1, 2, 3;
"""


def run_statements(base, statements, **values):
    for statement in statements.split(";\n")[:-1]:
        base.execute(statement, {name: value for name, value in values.items() if ":" + name in statement})


def add_contexts(base):
    """Their keys are attribute 100 and the address."""
    for (number,) in base.execute("SELECT DISTINCT context FROM places").fetchall():
        keys = bytes([100, number & 127 | 128, number >> 7 & 127 | 128, number >> 14])
        base.execute("INSERT INTO contexts(id, node, function, form, keys, address) VALUES(?, 0, ?, '101,102', ?, ?)",
                     (number, 1000 + number % (POOL // 50), keys, number))


def a_year(place):
    """Weeks of hours, on a smaller scale, made days, weeks and a month: a year of that stays below 1 GB; all samples
    are kept."""
    begin(place)
    base = sqlite3.connect(place.path("p.db"))
    base.execute("PRAGMA synchronous=OFF")
    base.execute("CREATE TEMP TABLE numbers(v INTEGER PRIMARY KEY)")
    base.execute(f"WITH RECURSIVE n(v) AS (SELECT 0 UNION ALL SELECT v + 1 FROM n WHERE v < {POOL})"
                 " INSERT INTO numbers SELECT v FROM n")
    run_statements(base, BEGIN_WEEKS, day=str(DAY))
    add_contexts(base)
    run_statements(base, FILL_HOURS)
    base.commit()
    total = base.execute("SELECT sum(value) FROM counts WHERE event=101").fetchone()
    hour = base.execute("SELECT count(*) FROM counts WHERE source >= 1000").fetchone()[0] / 168 / WEEKS
    outcome = ask(place, "gc", "--now", str(DAY + datetime.timedelta(days=7 * WEEKS)), "--months-after", "14",
                  "--fold", str(100000 // SCALE), timeout=120)
    expect(outcome.status_text() == "exit 0", f"gc: {lines_of(outcome.stderr)}")
    expect(base.execute("SELECT sum(value) FROM counts WHERE event=101").fetchone() == total, "samples are gone")
    numbers = dict(base.execute("SELECT e.kind, count(*) / count(DISTINCT r.id) FROM counts c JOIN sources s ON s.id=c.source"
                                " JOIN runs r ON r.id=s.run JOIN epochs e ON e.id=r.epoch"
                                " WHERE r.command='trammel daemon' GROUP BY 1").fetchall())
    rows_there, = base.execute("SELECT count(*) FROM counts").fetchone()
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    base.close()
    expect(numbers.keys() == {"day", "week", "month"}, f"runs: {numbers}")
    size = os.path.getsize(place.path("p.db"))
    year = 24 * hour + 7 * numbers["day"] + 9 * numbers["week"] + 11 * numbers["month"]
    total_bytes = int(size / rows_there * year * SCALE)
    expect(total_bytes < YEAR_BYTES_MAX, f"a year takes {total_bytes >> 20} MiB: an hour has {hour} numbers, {numbers}")
    expect_sound(place)


def seldom_addresses_fold(place):
    """When a day is over, addresses with few of its samples become their functions; all samples are kept."""
    daemon = start(place)
    program = compile_program(place, "samples/split.c", "split")
    with Busy([program, "on"]):
        wait_for_function(place, "light_step", "--image", program)
        daemon.ask("--new-label", "x")
        daemon.ask("--new-label", "")
        time.sleep(0.3)
    daemon.end()
    base = sqlite3.connect(place.path("p.db"))
    base.execute("UPDATE counts SET value=value * 100000000 WHERE context IN (SELECT x.id FROM contexts x JOIN functions f"
                 " ON f.id=x.function WHERE f.name='heavy_step')")
    base.execute("UPDATE sums SET value=value * 100000000 WHERE function IN (SELECT id FROM functions WHERE name='heavy_step')")
    base.execute("DELETE FROM run_labels")
    base.execute("UPDATE runs SET start='2025-03-01T' || substr(start, 12)")
    base.commit()
    base.close()
    places = {name: len(rows(place, "list", name, "--image", program, key="places")) for name in ("heavy_step", "light_step")}
    before = sorted((row["function"], row["image"], row["address"], row["value"]) for row in rows(place, "top"))
    outcome = ask(place, "gc", "--now", "2025-03-02", "--compact-after", "0")
    expect(b"compacted into 1;" in outcome.stdout, f"gc: {outcome.stdout!r}{outcome.stderr!r}")
    after = sorted((row["function"], row["image"], row["address"], row["value"]) for row in rows(place, "top"))
    expect(before == after, "functions have other sums")
    if len(rows(place, "runs")) > 1:
        raise Skip("a program of the machine was replaced meanwhile: its runs stay apart")
    now = {name: len(rows(place, "list", name, "--image", program, key="places")) for name in places}
    expect(now["heavy_step"] > 2 and now["light_step"] == 2, f"{places} became {now}")
    expect_sound(place)


TESTS = [ended_by_signals, killed, killed_after_flush, two_of_them, full_disk, memory_full, database_damaged, clock_set_back,
         file_replaced, code_told_of,
         epochs_and_labels, a_year, seldom_addresses_fold, reader_does_not_block, own_processes]
