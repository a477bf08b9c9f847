#!/usr/bin/python3
"""How long questions to a large profile database take.

Makes a database with 10 million rows of samples: a year of days, each with samples at some 27,000
instructions of 5,000 functions, by SQL, in the tables that `trammel db` made; checks that its sums are
those of the counts; and prints the best time of each question, and what is left of it after `gc`. Takes some minutes and 1 GB.
"""

import argparse
import os
import sqlite3
import subprocess
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
QUESTIONS = (["top"], ["top", "--by", "image"], ["top", "--epoch", "latest"], ["top", "--label", "b"], ["diff", "a", "b"],
             ["stats"], ["list", "f_17"], ["epochs"], ["runs"])

FILL = """
INSERT INTO images(id, path, build) SELECT 1000 + value, '/lib/lib' || value || '.so', printf('%040x', value)
    FROM numbers WHERE value < 20;
INSERT INTO functions(id, image, offset, name) SELECT 100000 + value, 1000 + value % 20, value * 256, 'f_' || value
    FROM numbers WHERE value < :functions;
INSERT INTO attributes(id, name, type, properties) VALUES(9001, 'samples', 1, 34);
INSERT INTO events(id, name, attribute, fold, type, sampled) VALUES(9001, 'samples:clock', 9001, 'sum', 1, 1);
INSERT INTO contexts(id, node, function, form, keys, address)
    SELECT 1000000 + value, 0, 100000 + value % :functions, '9001', CAST(value AS TEXT), value * 4
    FROM numbers WHERE value < :places;
INSERT INTO labels(id, name) VALUES(9001, 'a'), (9002, 'b');
INSERT INTO profiles(id, added, origin) SELECT 10000 + value, '', 'made' FROM numbers WHERE value < :days;
INSERT INTO epochs(id, name, kind) SELECT 10000 + value, strftime('%Y%m%d', '2025-01-01', value || ' days'), 'day'
    FROM numbers WHERE value < :days;
INSERT INTO runs SELECT 10000 + value, 10000 + value, 0, 10000 + value, (SELECT min(id) FROM hosts), 'all', 'samples',
    strftime('%Y-%m-%dT00:00:00Z', '2025-01-01', value || ' days'), 0, '', 1 FROM numbers WHERE value < :days;
INSERT INTO run_labels SELECT 10000 + value, 9001 + value % 2 FROM numbers WHERE value < :days;
INSERT INTO run_images SELECT 10000 + d.value, 1000 + i.value, 250, 0 FROM numbers d, numbers i
    WHERE d.value < :days AND i.value < 20;
INSERT INTO sources SELECT 10000 + value, 10000 + value, 1, -1, -1 FROM numbers WHERE value < :days;
INSERT INTO counts SELECT 10000 + d.value, 1000000 + p.value, 9001, 1 + (d.value * 7919 + p.value * 104729) % 1000
    FROM numbers d, numbers p WHERE d.value < :days AND p.value < :places;
INSERT INTO sums SELECT c.event, s.run, x.function, sum(c.value) FROM sources s JOIN counts c ON c.source = s.id
    JOIN contexts x ON x.id = c.context WHERE s.run >= 10000 GROUP BY 1, 2, 3;
"""


def make(tool, path, given, folder):
    profile = os.path.join(folder, "one.trm")
    subprocess.run([tool, "run", "-q", "-o", profile, "--", "/bin/true"], check=True)
    subprocess.run([tool, "db", "--db", path, "add", profile], check=True, stdout=subprocess.DEVNULL)
    base = sqlite3.connect(path)
    base.execute("PRAGMA cache_size=-262144")
    base.execute("CREATE TEMP TABLE numbers(value INTEGER PRIMARY KEY)")
    most = max(given.places, given.functions, given.days)
    base.execute("WITH RECURSIVE n(v) AS (SELECT 0 UNION ALL SELECT v + 1 FROM n WHERE v + 1 < ?)"
                 " INSERT INTO numbers SELECT v FROM n", (most,))
    values = vars(given)
    for statement in FILL.split(";\n")[:-1]:
        base.execute(statement, {key: values[key] for key in ("places", "functions", "days") if ":" + key in statement})
    base.commit()
    rows = base.execute("SELECT count(*) FROM counts").fetchone()[0]
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    base.close()
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trammel", default=os.path.join(TOP, "build/src/cli/trammel"))
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--places", type=int, default=27400)
    parser.add_argument("--functions", type=int, default=5000)
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "year.db")
        rows = make(given.trammel, path, given, folder)
        print(f"{rows:,} counts, {os.path.getsize(path) >> 20} MiB")
        for question in QUESTIONS:
            best = None
            for _ in range(given.times):
                begun, used = time.monotonic(), os.times()
                subprocess.run([given.trammel, "db", "--db", path, *question], check=False, stdout=subprocess.DEVNULL)
                now = os.times()
                took = time.monotonic() - begun, now.children_user + now.children_system \
                    - used.children_user - used.children_system
                best = min(best or took, took)
            print(f"{' '.join(question):24} {best[0]:7.3f} s, CPU {best[1]:.3f} s")
        subprocess.run([given.trammel, "db", "--db", path, "gc", "--now", "2026-01-01"], check=False)
        print(f"after gc: {os.path.getsize(path) >> 20} MiB")


if __name__ == "__main__":
    main()
