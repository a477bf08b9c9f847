"""Databases on servers of PostgreSQL: the same answers as from a file, many writers, and all that goes wrong with servers."""

import os
import signal
import sqlite3
import subprocess
import time

from failure.common import expect, lines_of
from failure.daemons import Busy, Daemon, compile_program
from failure.databases import ask, begin, expect_line, expect_sound, rows
from transparency import postgres, running
from transparency.results import Skip

PASSWORD = "geheim-7!"
WRITERS = 16
QUESTIONS = """runs
epochs
images
events
hosts
labels
top
top --by image
top --by epoch
top --by host
top --by label
top --by run
top --event blocks
top --label a
list *
topcounts --event calls
cat
stats --event calls
diff 1 2 --event calls
diff a b --event calls
label c --run 2
label a --remove --run 1
labels
calc main --run 2
whatcg --run 2
topstalls --run 2
annotate main --run 2
flow main --run 2
coverage --run 2
gc --now 2060-01-01
top
list *
top --event no_such
top --run 99
top --by no_such
export -o back.trm --run 99""".splitlines()


def server_of(place):
    if b"libpq-dev" in ask(place, "runs", database="postgresql:///x").stderr:
        raise Skip("trammel was built without PostgreSQL")
    return postgres.shared()


def begin_server(place, measure="functions"):
    """A profile, and an empty database."""
    server = server_of(place)
    begin(place, measure)
    return server, server.create(os.path.basename(place.folder))


def same_answers(place):
    """What is asked of a server is answered as from a file with the same profiles; and so after `gc`."""
    _, address = begin_server(place, "edges")
    second = place.path("second.trm")
    running.run([place.tool, "run", "-q", "-m", "blocks", "-o", second, "--", "/bin/echo", "x"], place.folder)
    beside = place.path("beside.db")
    for database in (beside, address):
        for words in (["add", "--label", "a", place.profile], ["add", second, "--label", "b"],
                      ["add", "--again", "--epoch", "named", "--label", "b", second]):
            outcome = ask(place, *words, database=database)
            expect(outcome.status_text() == "exit 0", f"{words}: {lines_of(outcome.stderr)}")
    for question in QUESTIONS:
        words = question.split()
        words += [] if words[0] in ("export", "label", "gc", "annotate", "flow", "coverage") else ["--json"]
        outcomes = [ask(place, *words, database=database) for database in (beside, address)]
        said = [(outcome.status_text(), outcome.stdout, outcome.stderr.replace(name.encode(), b"DB"))
                for outcome, name in zip(outcomes, (beside, address))]
        expect(said[0] == said[1], f"{question}: {said[0]!r:.300} of a file, {said[1]!r:.300} of a server")
    expect_sound(place, database=address)


def comes_back(place):
    """A profile that was added to a server is the same when it is exported; and so when it went from a file to the server
    and back."""
    server, address = begin_server(place, "edges")
    expect(ask(place, "merge", place.path("p.db"), database=address).status_text() == "exit 0", "merge")
    again = ask(place, "merge", place.path("p.db"), database=address)
    expect(b"0 runs added, 1 profiles were there" in again.stdout, f"merge: {again.stdout!r}")
    expect(ask(place, "merge", address, database=place.path("back.db")).status_text() == "exit 0", "merge back")
    os.mkdir(place.path("back"))
    for database in (address, place.path("back.db")):
        back = os.path.join(place.path("back"), os.path.basename(place.profile))
        outcome = ask(place, "export", "-o", back, database=database)
        expect(outcome.status_text() == "exit 0", f"export: {lines_of(outcome.stderr)}")
        for words in (["report", "--json", "--all"], ["report", "--check"]):
            outcomes = [running.run([place.tool, *words, os.path.basename(path)], os.path.dirname(path))
                        for path in (place.profile, back)]
            expect(outcomes[0].stdout and outcomes[0].stdout == outcomes[1].stdout, f"{words} is different")
    expect(server.ask(os.path.basename(place.folder), "SELECT count(*) FROM trammel.runs") == "1", "not one run")


def writers_at_once(place):
    """Sixteen writers into a database that is not made yet: all runs are there, and all numbers."""
    _, address = begin_server(place)
    other = place.path("other.trm")
    running.run([place.tool, "run", "-q", "-o", other, "--", "/bin/echo", "x"], place.folder)
    paths = [place.profile if i % 2 else other for i in range(WRITERS)]
    writers = [subprocess.Popen([place.tool, "db", "--db", address, "add", "--again", path],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for path in paths]
    for writer in writers:
        said = writer.communicate()[1]
        expect(writer.returncode == 0, f"add: {said!r}")
    there = rows(place, "runs", database=address)
    expect(len(there) == WRITERS, f"{len(there)} runs")
    sums = rows(place, "top", "--by", "run", database=address)
    of = {row["run"]: row["command"] for row in there}
    for command in set(of.values()):
        values = [row["value"] for row in sums if of[row["run"]] == command]
        expect(len(values) == WRITERS / 2 and len(set(values)) == 1, f"{command}: {values}")
    alone = place.path("alone.db")
    for path in (place.profile, other):
        ask(place, "add", path, database=alone)
    expect({row["value"] for row in sums} == {row["value"] for row in rows(place, "top", "--by", "run", database=alone)},
           "other sums than in a file")
    functions = rows(place, "top", database=alone)
    many = {(row["function"], row["image"], row["address"]): row["value"] for row in rows(place, "top", database=address)}
    for row in functions:
        key = row["function"], row["image"], row["address"]
        expect(many[key] == row["value"] * WRITERS / 2, f"{key}: {many[key]}, once it is {row['value']}")
    expect_sound(place, database=address)


def one_file_twice(place):
    """Two that add the same file at once: one of them is refused."""
    _, address = begin_server(place)
    ask(place, "add", "--again", place.profile, database=address)
    for _ in range(3):
        writers = [subprocess.Popen([place.tool, "db", "--db", address, "add", place.profile], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE) for _ in range(4)]
        for writer in writers:
            expect(b"already" in writer.communicate()[1], "it is there twice")
    expect(len(rows(place, "runs", database=address)) == 1, "not one run")


def refused(place):
    """No such database, user, password, right, server, room for one more: a line each, and no password in it."""
    server, address = begin_server(place)
    name = os.path.basename(place.folder)
    guarded = f"postgresql://guarded:{PASSWORD.replace('!', '%21')}@/{name}?host={server.folder}"
    server.ask(name, "DO $$ BEGIN CREATE ROLE guarded LOGIN PASSWORD '" + PASSWORD + "';"
                     " EXCEPTION WHEN duplicate_object THEN END $$")
    expect_line(ask(place, "top", database=address), 4, "no tables", "db add")
    expect_line(ask(place, "add", place.profile, database=guarded), 4, "permission denied", "GRANT")
    expect(ask(place, "add", place.profile, database=address).status_text() == "exit 0", "add")
    for database, words in (
            (server.address("no_such"), ["does not exist", "createdb"]),
            (server.address(name, "no_such_user"), ["no_such_user", "createuser"]),
            (guarded.replace(PASSWORD[:4], "other"), ["password", "pgpass"]),
            (guarded.replace(":" + PASSWORD.replace("!", "%21"), ""), ["password", "PGPASSWORD"]),
            (server.address(name, folder=place.folder), ["does the server run"]),
            (f"postgresql://guarded:{PASSWORD}@[h/x", ["no address"]),
            (guarded, ["permission denied", "GRANT"])):
        outcome = ask(place, "top", database=database)
        expect_line(outcome, 4 if "no address" not in words else 2, *words)
        expect(PASSWORD[:6].encode() not in outcome.stderr, f"a password is shown: {outcome.stderr!r}")
    server.ask(name, "GRANT USAGE ON SCHEMA trammel TO guarded; GRANT SELECT ON ALL TABLES IN SCHEMA trammel TO guarded")
    expect(rows(place, "top", database=guarded), "who may read cannot")
    expect_line(ask(place, "add", "--again", place.profile, database=guarded), 4, "permission denied", "GRANT")
    server.ask(name, f'ALTER DATABASE "{name}" SET default_transaction_read_only TO on')
    expect_line(ask(place, "add", "--again", place.profile, database=address), 4, "can only be read")
    server.ask("postgres", f'ALTER DATABASE "{name}" RESET default_transaction_read_only')
    server.ask(name, f'ALTER DATABASE "{name}" CONNECTION LIMIT 0')
    expect_line(ask(place, "top", database=guarded), 4, "too many connections", "try again")
    server.ask(name, f'ALTER DATABASE "{name}" CONNECTION LIMIT -1; UPDATE trammel.version SET number=99')
    expect_line(ask(place, "top", database=address), 4, "later trammel", "99")
    server.ask(name, "DROP TABLE trammel.version")
    expect_line(ask(place, "add", place.profile, database=address), 4, "another program")
    server.ask("postgres", f"CREATE DATABASE \"{name}-l\" TEMPLATE template0 ENCODING 'LATIN1'")
    expect_line(ask(place, "add", place.profile, database=server.address(name + "-l")), 4, "LATIN1", "createdb")


def password_hidden(place):
    """A password is in no list of processes, no profile and no log."""
    server, address = begin_server(place)
    name = os.path.basename(place.folder)
    server.ask(name, "DO $$ BEGIN CREATE ROLE guarded LOGIN PASSWORD '" + PASSWORD + "';"
                     " EXCEPTION WHEN duplicate_object THEN END $$")
    server.ask(name, f'GRANT ALL ON DATABASE "{name}" TO guarded')
    del address
    guarded = f"postgresql://guarded:{PASSWORD.replace('!', '%21')}@/{name}?host={server.folder}"
    for option in (["--db", guarded], ["--db=" + guarded]):
        child = subprocess.Popen([place.tool, "run", "-q", *option, "-o", place.profile, "--", "cat"],
                                 stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        until = time.monotonic() + 30
        while True:
            with open(f"/proc/{child.pid}/cmdline", "rb") as file:
                line = file.read()
            if b"xxxxx" in line or time.monotonic() > until:
                break
        expect(PASSWORD[:6].encode() not in line and b"guarded:xxx" in line, f"{line!r}")
        said = child.communicate()[1]
        expect(child.returncode == 0 and not said, f"run: {said!r}")
    with open(place.profile, "rb") as file:
        expect(PASSWORD[:6].encode() not in file.read(), "the profile has it")
    expect(server.ask(name, "SELECT count(*) FROM trammel.runs") == "2", "not two runs")
    dump = subprocess.run(["pg_dump", "-h", server.folder, "-U", postgres.OWNER, name], capture_output=True, check=True).stdout
    expect(b"/bin/true" not in dump and PASSWORD[:6].encode() not in dump, "the database has it")


def stalled_writer(place, server, address):
    """A writer that waits in the middle, since somebody else holds the counts; and who does."""
    name = os.path.basename(place.folder)
    holder = subprocess.Popen(["psql", "-h", server.folder, "-U", postgres.OWNER, "-d", name, "-XAtq"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE)
    holder.stdin.write(b"BEGIN; LOCK TABLE trammel.counts IN ACCESS EXCLUSIVE MODE; SELECT 1;\n")
    holder.stdin.flush()
    holder.stdout.readline()
    writer = subprocess.Popen([place.tool, "db", "--db", address, "add", "--again", place.profile], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    waits = "SELECT pid FROM pg_stat_activity WHERE application_name='trammel' AND wait_event_type='Lock'"
    until = time.monotonic() + 60
    while not (pid := server.ask(name, waits)):
        expect(time.monotonic() < until and writer.poll() is None, "the writer does not wait")
        time.sleep(0.05)
    return holder, writer, pid


def expect_end(writer, *words):
    said = writer.communicate()
    lines = lines_of(said[1])
    expect(writer.returncode == 4 and len(lines) == 1, f"{writer.returncode} {said}")
    for word in words:
        expect(word in lines[0], f"'{word}' is not in {lines[0]!r}")


def connection_lost(place):
    """A connection that ends in the middle: a line, and nothing of it was added."""
    server, address = begin_server(place)
    name = os.path.basename(place.folder)
    ask(place, "add", "--again", place.profile, database=address)
    holder, writer, pid = stalled_writer(place, server, address)
    server.ask(name, f"SELECT pg_terminate_backend({pid})")
    expect_end(writer, "nothing of this was added")
    holder.communicate()
    holder, writer, pid = stalled_writer(place, server, address)
    server.ask(name, f"SELECT pg_cancel_backend({pid})")
    expect_end(writer, "limit of time")
    holder.communicate()
    expect(len(rows(place, "runs", database=address)) == 1, "not one run")
    expect_sound(place, database=address)


def lost_at_the_end(place):
    """A connection that ends while it is committed: what became of it is found out."""
    server, address = begin_server(place)
    for passed_on in (True, False):
        proxy = postgres.Proxy(server, passed_on)
        before = len(rows(place, "runs", database=address)) if not passed_on else 0
        if passed_on:
            ask(place, "merge", place.path("p.db"), database=address)
            before = 1
        outcome = ask(place, "add", "--again", place.profile,
                      database=server.address(os.path.basename(place.folder), folder=proxy.folder))
        expect(proxy.cut, "it was not cut")
        if passed_on:
            expect(outcome.status_text() == "exit 0", f"committed, but: {lines_of(outcome.stderr)}")
        else:
            expect_line(outcome, 4, "lost", "nothing of this was added")
        expect(len(rows(place, "runs", database=address)) == before + passed_on, "runs")
    expect_sound(place, database=address)


def waits_for_others(place):
    """A reader sees one state while others write; who changes all waits for who adds."""
    server, address = begin_server(place)
    ask(place, "add", "--again", place.profile, database=address)
    holder, writer, _ = stalled_writer(place, server, address)
    expect(len(rows(place, "runs", database=address)) == 1, "a reader waits, or sees what is not committed")
    label = subprocess.Popen([place.tool, "db", "--db", address, "label", "x"], stdout=subprocess.PIPE)
    name = os.path.basename(place.folder)
    until = time.monotonic() + 60
    while server.ask(name, "SELECT count(*) FROM pg_stat_activity WHERE wait_event='advisory'") != "1":
        expect(time.monotonic() < until and label.poll() is None, "label does not wait")
        time.sleep(0.05)
    holder.communicate()
    expect(writer.wait(60) == 0, "the writer failed")
    expect(label.communicate()[0] == b"2 runs changed\n", "label")
    writer.communicate()


def samples_on(server, name):
    return int(server.ask(name, "SELECT coalesce(sum(s.value), 0) FROM trammel.sums s JOIN trammel.events e ON e.id=s.event"
                                " WHERE e.name LIKE 'samples:%'") or 0)


def daemon_resumes(place):
    """A daemon whose server is gone keeps adding up, says so once, and writes all of it when the server is back. It has no
    password in its log, and is found by its address."""
    server_of(place)
    server = postgres.Server(connections=10)
    address = server.create("p")
    server.ask("p", f"CREATE ROLE guarded LOGIN PASSWORD '{PASSWORD}'; GRANT ALL ON DATABASE p TO guarded")
    address = f"postgresql://guarded:{PASSWORD.replace('!', '%21')}@/p?host={server.folder}"
    with Busy([compile_program(place, "samples/split.c", "split"), "on"]):
        daemon = Daemon(place, database=address)
        try:
            daemon.wait_for(" samples ")
            daemon.ask("--flush-now")
            second = running.run([place.tool, "daemon", "--db", address], place.folder)
            expect_line(second, 2, "has a daemon already")
            with open(f"/proc/{daemon.child.pid}/cmdline", "rb") as file:
                expect(PASSWORD[:6].encode() not in file.read(), "the list of processes has the password")
            server.stop()
            daemon.wait_for("cannot write: ", seconds=60)
            expect("trouble:" in daemon.ask("--status"), "--status does not say it")
            taken = daemon.taken()
            server.start()
            daemon.wait_for("writes again", seconds=60)
            expect(samples_on(server, "p") >= taken, "samples are gone")
            taken = daemon.taken()
            daemon.ask("--stop")
            expect(daemon.child.wait(120) == 0, f"it failed: {daemon.lines()[-2:]}")
        finally:
            daemon.child.kill()
            daemon.child.wait()
    expect(samples_on(server, "p") >= taken, "samples are gone at the end")
    lines = daemon.lines()
    expect(sum("cannot write" in line for line in lines) == 1, f"it says it more than once: {lines}")
    expect(not any(PASSWORD[:6] in line for line in lines), f"the log has the password: {lines}")
    expect_sound(place, database=address)
    outcome = ask(place, "top", "--function", "heavy_step", database=address)
    expect(b"heavy_step" in outcome.stdout, f"top: {lines_of(outcome.stderr)}")
    server.stop()


def daemon_in_doubt(place):
    """A daemon's connection ends while a part is committed, and the server cannot be asked for a while: in the end each sample
    is there once, whether it was committed or not."""
    server_of(place)
    server = postgres.shared()
    for passed_on in (True, False):
        name = f"{os.path.basename(place.folder)}-{passed_on}"
        server.create(name)
        proxy = postgres.Proxy(server, passed_on, closes=True)
        with Busy([compile_program(place, "samples/split.c", "split"), "on"]):
            # Few samples: each has some round trips through the proxy.
            daemon = Daemon(place, "--frequency", "5", flush="3600", database=server.address(name, folder=proxy.folder))
            try:
                daemon.wait_for(" samples ")
                until = time.monotonic() + 60
                while daemon.taken() < 20 and time.monotonic() < until:
                    time.sleep(0.2)
                proxy.armed = True
                outcome = running.run([place.tool, "daemon", "--db", daemon.database, "--flush-now"], place.folder,
                                      timeout=120)
                expect(proxy.cut and b"is not known" in outcome.stderr, f"flush: {outcome.stderr!r} {outcome.stdout!r}")
                outcome = running.run([place.tool, "daemon", "--db", daemon.database, "--flush-now"], place.folder,
                                      timeout=120)
                expect(outcome.status_text() != "exit 0", "it was written to a server that is closed")
                proxy.closed = False
                daemon.ask("--stop")
                expect(daemon.child.wait(60) == 0, f"it failed: {daemon.lines()[-2:]}")
            finally:
                daemon.child.kill()
                daemon.child.wait()
        ends = [line for line in daemon.lines() if " ends: " in line][0]
        taken, there = int(ends.split(" of ")[1].split()[0]), samples_on(server, name)
        expect(0.9 * taken <= there <= taken, f"passed on: {passed_on}; {there} of {taken} samples are there")
        expect_sound(place, database=server.address(name))


# Each of these by itself, since some hide others.
CONTRADICTIONS = ["""
    DELETE FROM contexts WHERE id=(SELECT min(id) FROM contexts);
    DELETE FROM functions WHERE id=(SELECT max(id) FROM functions);
    DELETE FROM images WHERE id=(SELECT max(id) FROM images);
    UPDATE nodes SET parent=id + 1 WHERE id=(SELECT max(id) - 1 FROM nodes);
    DELETE FROM labels;
    DELETE FROM epochs""", """
    UPDATE sums SET value=value + 1;
    INSERT INTO sums SELECT event, run, function + 1000000, value FROM sums;
    DELETE FROM attributes WHERE id=(SELECT max(id) FROM attributes);
    DELETE FROM hosts;
    DELETE FROM profiles""", """
    DELETE FROM sums;
    DELETE FROM sources;
    DELETE FROM runs"""]


def contradictions(place):
    """Tables that contradict each other are found on a server as in a file, in the same words; and mended there."""
    server, address = begin_server(place, "edges")
    name, path = os.path.basename(place.folder), place.path("p.db")
    expect(ask(place, "label", "x").status_text() == "exit 0", "label")
    expect(ask(place, "merge", path, database=address).status_text() == "exit 0", "merge")
    source = sqlite3.connect(path)
    for number, statement in enumerate(CONTRADICTIONS):
        broken = place.path(f"broken-{number}.db")
        with sqlite3.connect(broken) as base:
            source.backup(base)
            base.executescript(statement)
        base.close()
        # A copy on the server, too: all is as it was afterwards.
        copy = f"{name}-{number}"
        server.ask("postgres", f'CREATE DATABASE "{copy}" TEMPLATE "{name}"')
        server.ask(copy, f"SET search_path TO trammel; {statement}")
        said = [ask(place, "check", database=database).stdout.decode().splitlines()
                for database in (broken, server.address(copy))]
        expect(len(said[0]) > 3 and "is damaged" in said[0][-1], f"{statement}: {said[0]}")
        expect(said[0][:-1] == said[1][:-1], f"{statement}: {said[0]} in a file, {said[1]} on a server")
        repaired = ask(place, "check", "--repair", database=server.address(copy))
        expect(repaired.status_text() == "exit 0", f"{statement}: {lines_of(repaired.stderr)}")
        expect_sound(place, database=server.address(copy))
        server.ask("postgres", f'DROP DATABASE "{copy}"')
    source.close()


def damaged_page(place):
    """A page on the server's disk that was written over: said, with the server's words."""
    server_of(place)
    begin(place, "edges")
    server = postgres.Server(connections=10)
    address = server.create("p")
    expect(ask(place, "merge", place.path("p.db"), database=address).status_text() == "exit 0", "merge")
    expect_sound(place, database=address)
    path = server.ask("p", "SELECT pg_relation_filepath('trammel.contexts')")
    server.ask("p", "CHECKPOINT")
    server.stop(signal.SIGINT)
    with open(os.path.join(server.data, path), "r+b") as file:
        file.write(b"\xa5" * 100)
    server.start()
    outcome = ask(place, "check", database=address)
    expect(outcome.status_text() == "exit 1", f"check: {outcome.status_text()} {outcome.stdout!r}")
    expect(b"damaged on the server" in outcome.stdout and b"invalid page" in outcome.stdout, f"check: {outcome.stdout!r}")
    server.stop()


def disk_full(place):
    """A server whose disk is full: a line, nothing of it is there, and what was there is."""
    if os.geteuid():
        raise Skip("it needs to mount a disk")
    server_of(place)
    begin(place, "edges")
    # Not the shared one: the server writes to the full disk whenever somebody makes a database.
    server = postgres.Server()
    disk, name = server.folder + "/small", os.path.basename(place.folder) + "-full"
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=10m,uid=65534,gid=65534,mode=700", "none", disk],
                      capture_output=True, check=False).returncode:
        raise Skip("it may not mount a disk")
    try:
        server.ask("postgres", f"CREATE TABLESPACE small LOCATION '{disk}'")
        server.ask("postgres", f'CREATE DATABASE "{name}" TABLESPACE small')
        address = server.address(name)
        done = 0
        while done < 50:
            outcome = ask(place, "add", "--again", place.profile, database=address)
            if outcome.status_text() != "exit 0":
                break
            done += 1
        expect_line(outcome, 4, "disk is full", "nothing of this was added")
        # Questions need some room, too.
        subprocess.run(["mount", "-o", "remount,size=40m", disk], check=True)
        expect(len(rows(place, "runs", database=address)) == done > 0, f"not {done} runs")
        expect_sound(place, database=address)
        expect(ask(place, "add", "--again", place.profile, database=address).status_text() == "exit 0", "it stays full")
    finally:
        server.stop()
        subprocess.run(["umount", "-l", disk], check=False)


TESTS = [same_answers, comes_back, writers_at_once, one_file_twice, refused, password_hidden, connection_lost,
         lost_at_the_end, waits_for_others, daemon_resumes, daemon_in_doubt, contradictions, damaged_page, disk_full]
