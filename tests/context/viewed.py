"""Traces as Perfetto and chrome://tracing read them, and other programs around profiles."""

import collections
import glob
import json
import os
import sys

from context import channels, common, mpi
from context.common import expect
from transparency import running, trammel
from transparency.results import Skip

MEMBERS = {"X": {"ts", "dur"}, "B": {"ts"}, "i": {"ts", "s"}, "C": {"ts", "args"}, "M": {"args"}}
OPTIONAL = {"ph", "name", "cat", "pid", "tid", "sf", "args"}


def tool(place, name):
    return os.path.join(os.path.dirname(place.tool), name)


def converted(place, *files, options=()):
    """What the program says of traces; the structure is that of the format."""
    done = running.run([tool(place, "cali2traceevent"), *options, *files], place.folder)
    expect(done.status == 0 and not done.stderr, f"{files}: {done}")
    return checked(json.loads(done.stdout))


def checked(trace):
    for event in trace["traceEvents"]:
        needed = MEMBERS[event["ph"]]
        expect(needed | {"name", "pid", "tid"} <= set(event) <= needed | OPTIONAL, f"{event}")
        expect(isinstance(event["pid"], int) and isinstance(event["tid"], int)
               and isinstance(event["name"], str) and event.get("dur", 0) >= 0, f"{event}")
        expect("sf" not in event or str(event["sf"]) in trace["stackFrames"], f"{event}")
    named = {event["pid"] for event in trace["traceEvents"] if event["name"] == "process_name"}
    expect(named == {event["pid"] for event in trace["traceEvents"]}, f"named: {named}")
    return trace


def spans_of(trace):
    return [event for event in trace["traceEvents"] if event["ph"] in "XB"]


def expect_nested(spans, words):
    """Spans of a thread lie in one another, or one behind the other."""
    threads = collections.defaultdict(list)
    for span in spans:
        if span["ph"] == "X":
            begin = round(span["ts"] * 1000)
            threads[span["pid"], span["tid"]].append((begin, -round(span["dur"] * 1000)))
    for thread, found in threads.items():
        open_ends = []
        for begin, minus in sorted(found):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            expect(not open_ends or begin - minus <= open_ends[-1], f"{words}, {thread}: {begin}, {-minus}")
            open_ends.append(begin - minus)


def ranks(place):
    """Each rank is a process with its name, all at the times at which they were, with all calls of MPI."""
    program = mpi.build(place, "ring", os.path.join(mpi.EXAMPLES, "mpi", "ring.c"))
    command = trammel.run_command(place.tool, place.profile, mpi.mpirun(program, ranks=3), "mpi,trace")
    done = mpi.run(place, command)
    expect(done.status == 0, f"{done}")
    trace = converted(place, place.profile)
    names = {event["pid"]: event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "process_name"}
    expect(names == {rank: f"rank {rank}" for rank in range(3)}, f"{names}")
    spans = spans_of(trace)
    found = collections.Counter(span["name"] for span in spans if span["cat"] == "mpi.function")
    expect(found == mpi.calls_by_function(place, place.profile), f"{found}")
    expect_nested(spans, "ring")
    # Nobody leaves MPI_Finalize before the last one has come.
    inside = [(span["ts"], span["ts"] + span["dur"]) for span in spans if span["name"] == "MPI_Finalize"]
    expect(max(begin for begin, _ in inside) < min(end for _, end in inside), f"{inside}")


def label(name, value):
    return value if isinstance(value, str) else f"{name}={value}"


def runs(place):
    """Of each thread as many spans as contexts were entered, and what they are called; more where something changes
    further out than others, and in children of what is open."""
    for words in (("regions", "100"), ("changes", "7"), ("threads-together", "80"), ("forks", "4"),
                  ("contexts", "3000")):
        profile = place.check(*words, measure="trace")
        images = {record["image"]: record["process"] for record in profile.processes}
        wanted = collections.Counter()
        for record in profile.paths:
            if record["path"] and record["count"]:
                name, value = record["path"][-1]
                wanted[images[record["image"]], record["thread"], label(name, value)] += record["count"]
        trace = converted(place, place.profile)
        spans = spans_of(trace)
        found = collections.Counter((span["pid"], span["tid"], span["name"]) for span in spans)
        expect(not wanted - found and (words[0] in ("changes", "forks") or found == wanted),
               f"{words}: {found - wanted} too many, {wanted - found} missing")
        expect_nested(spans, words)
        if words[0] == "forks":
            own = profile.processes[0]["process"]
            begins = {pid: min(span["ts"] for span in spans if span["pid"] == pid)
                      for pid in set(images.values()) & {span["pid"] for span in spans}}
            expect(len(begins) > 1 and all(begins[own] < ts for pid, ts in begins.items() if pid != own),
                   f"children begin later: {begins}")


def channel_traces(place):
    """The same of a channel as .cali, .trm and written at once; iterations and numbers that are set."""
    program = channels.build(place, os.path.join(common.FOLDER, "channels.c"))
    for name in ("t.cali", "t.trm", "t.json"):
        form = ",output.format=trace-event" if name.endswith("json") else ""
        channels.run(place, "loops", "2", program=program, CALI_CONFIG=f"event-trace(output={name}{form})")
        trace = checked(json.loads(channels.read(place, name))) if form else converted(place, name)
        spans = spans_of(trace)
        found = collections.Counter(span["name"] for span in spans)
        expect_nested(spans, name)
        expect(trace["otherData"]["cali.channel"] == "event-trace", f"{name}: {trace['otherData']}")
        if name == "t.cali":
            wanted = found
            expect(len(found) > 3 and any("=" in name for name in found), f"{found}")
        expect(found == wanted, f"{name}: {found}, not {wanted}")
    done = running.run([place.tool, "query", "WHERE event.end#loop OR event.begin#loop FORMAT trace-event", "t.cali"],
                       place.folder)
    names = {span["cat"] for span in spans_of(json.loads(done.stdout))}
    expect(names == {"loop"}, f"{names}")


def expect_split(text):
    """What Hatchet takes for granted; rows as dicts with labels instead of numbers of nodes."""
    split = json.loads(text)
    columns, nodes = split["columns"], split["nodes"]
    expect(len(set(columns)) == len(columns) == len(split["column_metadata"]), f"{columns}")
    for number, node in enumerate(nodes):
        expect(isinstance(node["label"], str) and node["column"] in columns
               and node.get("parent", -1) < number, f"{node}")
        expect("parent" not in node or nodes[node["parent"]]["column"] == node["column"], f"{node}")
    rows = []
    for row in split["data"]:
        expect(len(row) == len(columns), f"{row}")
        rows.append({})
        for name, said, cell in zip(columns, split["column_metadata"], row):
            if not said["is_value"] and cell is not None:
                expect(nodes[cell]["column"] == name, f"{name}: {cell}")
                cell = nodes[cell]["label"]
            rows[-1][name] = cell
    path = columns.index("path")
    for row in split["data"]:
        for said, cell in zip(split["column_metadata"], row):
            expect(row[path] is None or said["is_value"] or cell is not None, f"{row}")
    return rows


def split_json(place):
    """json-split of runs, of channels and of their traces, as Hatchet reads it."""
    program = channels.build(place, os.path.join(common.FOLDER, "channels.c"))
    channels.run(place, "loops", "2", program=program,
                 CALI_CONFIG="hatchet-region-profile(output=h.json),event-trace(output=t.cali)")
    rows = expect_split(channels.read(place, "h.json"))
    expect(len({row["path"] for row in rows}) >= 3, f"{rows}")
    for options in (("-J",), ("-q", "select *,count() group by path format json-split")):
        done = running.run([tool(place, "cali-query"), *options, "t.cali"], place.folder)
        rows = expect_split(done.stdout)
        expect(len({row["path"] for row in rows}) >= 3, f"{rows}")
    place.check("changes", "3", measure="trace")
    done = running.run([place.tool, "query", "SELECT * WHERE time.ns FORMAT json-split", place.profile], place.folder)
    rows = expect_split(done.stdout)
    expect({row["mode"] for row in rows} == {None, "fast"} and any(row["path"] == "99" for row in rows), f"{rows[:3]}")


READ = """
import io, json, sys
import caliperreader as cr
records, run = cr.read_caliper_contents(sys.argv[1])
reader, streamed = cr.CaliperReader(), []
with open(sys.argv[1], "rb") as file:
    reader.read(io.BytesIO(file.read()))
stream = cr.CaliperStreamReader()
stream.read(sys.argv[1], streamed.append)
assert records == reader.records == streamed and run == reader.globals == cr.read_caliper_globals(sys.argv[1])
said = {name: reader.attribute(name).metadata() for name in reader.attributes()}
json.dump([records, run, said, reader.attribute("region").scope(), reader.attribute("region").attribute_type()],
          sys.stdout)
assert reader.attribute("region").get("no such thing") is None
region = reader.attribute("region")
assert reader.db.attributes_by_id[region.id()] is region and reader.db.nodes[region.id()] is region.node
paths = [node.expand()["path"] for node in reader.db.nodes.values() if node.attribute_id == region.id()]
assert all(record["path"] in paths for record in records if isinstance(record.get("region"), list)
           and record["path"] == record["region"]), paths
inner = max((node for node in reader.db.nodes.values() if node.attribute_id == region.id()), key=lambda n: len(n.path()))
assert inner in inner.parent.children and inner.get("region") == inner.data and inner.attribute() is region
assert inner.get("cali.attribute.prop") is None and region.node.get(10) == str(region.prop)
made = cr.MetadataDB()
made.import_node(12, 10, "276", 3)
made.import_node(13, 8, "mine", 12)
made.import_node(20, 13, "outer")
made.import_node(21, 13, "inner", 20)
assert made.nodes[21].expand() == {"mine": ["outer", "inner"], "path": ["outer", "inner"]}
assert made.attributes["mine"].scope() == "thread" and made.attributes["mine"].attribute_type() == "string"
for wrong in ("nowhere.cali", sys.executable):
    try:
        cr.read_caliper_contents(wrong)
    except cr.ReaderError as error:
        assert wrong in error.message, error.message
    else:
        raise AssertionError(wrong)
def fails(record):
    raise KeyError("mine")
try:
    cr.CaliperStreamReader().read(sys.argv[1], fails)
except KeyError as error:
    assert error.args == ("mine",)
else:
    raise AssertionError("the function's exception")
"""


def read_in_python(place, name):
    folder = os.path.join(os.path.dirname(place.tool), "..", "pyreader")
    if not glob.glob(os.path.join(folder, "_trammel_reader.*.so")):
        raise Skip("the module was not built: Python's development files are missing")
    done = running.run([sys.executable, "-c", READ, name], place.folder,
                       environment={**running.base_environment(), "PYTHONPATH": folder,
                                    "PYTHONDONTWRITEBYTECODE": "1"})
    expect(done.status == 0 and not done.stderr, f"{name}: {done}")
    return json.loads(done.stdout)


def python_reader(place):
    """The module caliperreader says what queries say, of .cali and .trm."""
    program = channels.build(place, os.path.join(common.FOLDER, "channels.c"))
    channels.run(place, "plain", "5", program=program,
                 CALI_CONFIG="event-trace(output=t.cali),event-trace(output=t.trm)")
    for name in ("t.cali", "t.trm"):
        records, run, said, scope, kind = read_in_python(place, name)
        rows = channels.query(place, name, "SELECT *")
        expect(len(records) == len(rows) and run["cali.channel"] == "event-trace", f"{len(records)}, {len(rows)}")
        for record, row in zip(records, rows):
            expect("/".join(record.get("path", [])) == row.get("path", ""), f"{record}, {row}")
            expect(all(str(value) == record[key] for key, value in row.items()
                       if key != "path" and not isinstance(value, float)), f"{record}, {row}")
        region, time = said["region"], said["time.offset.ns"]
        expect(region["is_nested"] and not region["is_value"] and (scope, kind) == ("thread", "string"), f"{region}")
        expect(time["is_value"] and time["type"] == "uint" and not time["is_nested"], f"{time}")


def pages(place):
    """The pages of these programs have all their options, with the same words, and no other ones."""
    for name in ("cali2traceevent", "cali-stat"):
        done = running.run([tool(place, name), "--help"], place.folder)
        wanted = {line.split("--")[1].split(" ")[0]: " ".join(line.split("--")[1].split()[1:])
                  for line in done.stdout.decode().split("\n") if "--" in line}
        with open(os.path.join(trammel.ROOT, "man", f"{name}.1.md"), encoding="utf-8") as file:
            options = file.read().replace("*", "").split("# OPTIONS\n")[1].split("\n# ")[0]
        found = {}
        for entry in options.split("\n\n"):
            if "\n:   " in entry:
                words, about = entry.split("\n:   ")
                found[words.split("--")[1]] = " ".join(about.split())
        expect(set(found) == set(wanted) and len(wanted) > 2, f"{name}: {set(found) ^ set(wanted)}")
        wrong = {option for option, about in wanted.items() if not found[option].startswith(about)}
        expect(not wrong, f"{name}: {wrong}")


TESTS = (pages, runs, channel_traces, ranks, split_json, python_reader)
