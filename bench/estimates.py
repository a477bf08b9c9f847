#!/usr/bin/python3
"""How near estimates of executions from samples come to exact counts.

Runs gzip, bzip2, sqlite3 and lua5.4 once each with samples at 8 kHz and blocks, and prints which share of the samples is at
blocks whose estimated executions (`trammel db whatcg --estimate`) are within 5, 10 and 15 % of the exact ones: as numbers, and
by their relations within each function alone. Takes half a minute.
"""

import argparse
import os
import re
import subprocess
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SQL = """create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 250000)
  insert into t select i, hex(i * 7919), i * 1.5 from n;
create index b on t(b);
select substr(b, 1, 3) as k, count(*), sum(c) from t group by k order by 2 desc, 1 limit 20;
""" + 3 * "with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000) select count(*), sum(i*2) from n;\n"
LUA = """local function fib(n) if n < 2 then return n end return fib(n-1)+fib(n-2) end
print(fib(33))
local t = {}
for i=1,1000000 do t[i] = (i*7919)%10007 end
table.sort(t)
local s = {}
for i=1,60000 do s[#s+1] = string.format("%d:%s", i, ("x"):rep(i%7)) end
local p = 0
for i=2,1000000 do local ok=true local j=2 while j*j<=i do if i%j==0 then ok=false break end j=j+1 end if ok then p=p+1 end end
print(p)
"""


def texts(most):
    """Some of the sources again and again, and programs."""
    found = b""
    for folder, _, names in sorted(os.walk(os.path.join(TOP, "src"))):
        for name in sorted(names):
            with open(os.path.join(folder, name), "rb") as file:
                found += file.read()
    for program in ("/usr/bin/python3", "/usr/bin/sqlite3"):
        with open(program, "rb") as file:
            found += file.read()
    return (found * (most // len(found) + 1))[:most]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trammel", default=os.path.join(TOP, "build/src/cli/trammel"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, content in (("large", texts(60000000)), ("small", texts(20000000)), ("sql", SQL.encode()),
                              ("lua", LUA.encode())):
            paths[name] = os.path.join(folder, name)
            with open(paths[name], "wb") as file:
                file.write(content)
        commands = (["gzip", "-6", "-c", paths["large"]], ["bzip2", "-9", "-c", paths["small"]],
                    ["sqlite3", ":memory:", f".read {paths['sql']}"], ["lua5.4", paths["lua"]])
        print("| program | samples | within 5, 10, 15 %, by relations | as numbers |\n|---|---|---|---|")
        for command in commands:
            profile, base = os.path.join(folder, command[0] + ".trm"), os.path.join(folder, command[0] + ".db")
            subprocess.run([given.trammel, "run", "-q", "-m", "samples,blocks", "--frequency", "8000", "-o", profile, "--db",
                            base, "--", *command], check=True, stdout=subprocess.DEVNULL)
            said = subprocess.run([given.trammel, "db", "--db", base, "whatcg", "--estimate"], check=True,
                                  capture_output=True, text=True).stdout
            top = subprocess.run([given.trammel, "db", "--db", base, "top", "--by", "run", "--json"], check=True,
                                 capture_output=True, text=True).stdout
            shares = [", ".join(re.findall(r"(\d+) % within", line)) for line in said.splitlines() if "% within" in line]
            samples = re.search(r'"value": ?(\d+)', top).group(1)
            print(f"| {command[0]} | {samples} | {shares[1]} |"
                  f" {shares[0]} |")


if __name__ == "__main__":
    main()
