"""Does some varied work, then prints the process's KiB of anonymous and of memfd memory."""

import decimal
import json
import re
import sqlite3

rows = [{"id": n, "name": f"name {n * 7919 % 1009}"} for n in range(2000)]
text = json.dumps(rows)
found = len(re.findall(r'"name": "name (\d+)"', text))
with sqlite3.connect(":memory:") as base:
    base.execute("create table t(a, b)")
    base.executemany("insert into t values(?, ?)", [(r["id"], r["name"]) for r in rows])
    found += base.execute("select count(distinct b) from t").fetchone()[0]
found += int(sum(decimal.Decimal(n) / 7 for n in range(500)))

anonymous = memfd = 0
is_memfd = False
with open("/proc/self/smaps", encoding="ascii", errors="replace") as maps:
    for line in maps:
        if line[0] in "0123456789abcdef":
            is_memfd = "/memfd:" in line
        elif line.startswith("Anonymous:") and not is_memfd:
            anonymous += int(line.split()[1])
        elif line.startswith("Rss:") and is_memfd:
            memfd += int(line.split()[1])
print(anonymous, memfd)
