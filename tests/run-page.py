#!/usr/bin/python3
"""Opens pages that `trammel page` made in Chromium, and compares what they show with reports.

Usage: run-page.py [--trammel PATH] [--only NAME] [--keep DIR]

Ends with `N passed, N failed, N skipped`; all are skipped without Chromium, or where trammel was
built without npm.
"""

import argparse
import base64
import contextlib
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import page_browser
from transparency.results import asked

TESTS = []

WORK = r"""
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) static long work(long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++)
		sum += i % 7 ? i : -i;
	return sum;
}
int main(int argc, char **argv)
{
	int numbers[500];
	long sum = 0;
	for (int i = 0; i < 40; i++) {
		for (int k = 0; k < 500; k++)
			numbers[k] = k * 7919 % 1009;
		qsort(numbers, 500, sizeof(int), compare);
		sum += work(argc > 1 ? atol(argv[1]) : 10000) + numbers[0];
	}
	printf("%ld\n", sum);
	return 0;
}
"""

# A name that would be markup, or script, anywhere but as text.
HOSTILE = "</script><img src=x onerror=document.body.id=1><b>&amp;"


class Failure(Exception):
    pass


def check(condition, text):
    if not condition:
        raise Failure(text)


class Page(html.parser.HTMLParser):
    """The elements and the text that the browser made of a page."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.tags = {}
        self.text = ""
        self.skip = 0
        self.body = None  # its id
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        if tag == "body":
            self.body = dict(attributes).get("id")
        self.skip += tag in ("script", "style", "pre")

    def handle_endtag(self, tag):
        self.skip -= tag in ("script", "style", "pre")

    def handle_data(self, data):
        if not self.skip:
            self.text += data + " "


class Place:
    """A folder with a program, its profiles, and their pages."""

    def __init__(self, trammel, folder):
        self.trammel, self.folder = trammel, folder
        self.build("app", WORK)

    def path(self, name):
        return os.path.join(self.folder, name)

    def build(self, name, source, *options):
        with open(self.path(name + ".c"), "w") as out:
            out.write(source)
        subprocess.run(["gcc", "-O1", "-g", "-o", self.path(name), self.path(name + ".c"), *options],
                       check=True, cwd=self.folder)

    def command(self, *words):
        done = subprocess.run([self.trammel, *words], cwd=self.folder, capture_output=True, text=True)
        check(done.returncode == 0, f"trammel {' '.join(words)}: {done.stderr}")
        return done.stdout

    def measure(self, profile, *options, program="app", arguments=()):
        self.command("run", *options, "-o", profile, "--", self.path(program), *arguments)

    def browser(self, *words):
        return ["chromium", "--headless=new", "--no-sandbox", "--dump-dom", "--enable-logging=stderr",
                "--force-prefers-reduced-motion", "--virtual-time-budget=10000", "--window-size=1400,1000",
                "--allow-file-access-from-files", f"--user-data-dir={self.path('browser')}", *words]

    def open(self, page, address):
        """What the browser shows at an address of the page (#PROFILE/VIEW/...)."""
        words = self.browser("--disable-gpu", f"file://{self.path(page)}{address}")
        for _ in range(2):
            done = subprocess.run(words, capture_output=True, text=True, timeout=120)
            if "</html>" in done.stdout:
                break
        check("</html>" in done.stdout, f"Chromium shows nothing: {done.stderr[-600:]}")
        wrong = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        check(not wrong, f"the page complains: {wrong}")
        return Page(done.stdout)

    def function(self, page_data, name):
        return page_data["profiles"][0]["functions"]["names"].split("\n").index(name)


def test(run):
    TESTS.append(run)
    return run


def grouped(number):
    return f"{number:,}"


@test
def views_of_edges(place):
    """Overview, functions, code and control flow have the report's numbers."""
    place.measure("edges.trm", "-m", "edges")
    place.command("page", "edges.trm")
    place.command("report", "--html", "report.html", "edges.trm")
    with open(place.path("edges.html")) as page, open(place.path("report.html")) as report:
        check(page.read() == report.read(), "report --html writes another page")
    rows = json.loads(place.command("report", "--json", "--all", "edges.trm"))["rows"]
    work = next(row for row in rows if row["function"] == "work")
    index = place.function(json.loads(place.command("page", "--json", "-o", "-", "edges.trm")), "work")

    overview = place.open("edges.html", "")
    check("What stands out" in overview.text and "work" in overview.text, overview.text[:800])
    functions = place.open("edges.html", "#0/functions")
    for row in sorted(rows, key=lambda row: -row.get("instructions", 0))[:10]:
        check(grouped(row["instructions"]) in functions.text, f"no {row} in {functions.text[:1500]}")
    check(f"{len(rows)} of {len(rows)} functions" in functions.text, functions.text[:300])
    code = place.open("edges.html", f"#0/code/{index}")
    check("sum += i % 7 ? i : -i;" in code.text, "no source")
    check(grouped(work["instructions"]) in code.text and re.search("0x[0-9a-f]+", code.text), code.text[:800])
    listing = json.loads(place.command("annotate", "--json", "edges.trm", "work"))
    flow = place.open("edges.html", f"#0/code/{index}/flow")
    code = place.open("edges.html", f"#0/code/{index}")
    check(code.tags.get("marker") == 1 and code.tags.get("path", 0) > 1, f"no arrows of branches: {code.tags}")
    for block in listing["blocks"]:
        if block["count"]:
            check(f"{grouped(block['count'])}×" in flow.text, f"no block {block['block']}: {flow.text[:800]}")


@test
def flame_graphs(place):
    """Calls in their contexts, and callers."""
    place.measure("graph.trm", "-m", "callgraph")
    place.command("page", "graph.trm")
    index = place.function(json.loads(place.command("page", "--json", "-o", "-", "graph.trm")), "compare")
    flame = place.open("graph.html", "#0/flame")
    check("main" in flame.text and "qsort" in flame.text and flame.tags.get("rect", 0) > 3, flame.text[:800])
    callers = place.open("graph.html", f"#0/code/{index}")
    check("Called by" in callers.text and "msort" in callers.text, callers.text[:800])


@test
def two_profiles(place):
    """The table tells what changed."""
    place.measure("new.trm", "-m", "blocks", arguments=["20000"])
    place.measure("old.trm", "-m", "blocks")
    place.command("page", "-o", "two.html", "new.trm", "old.trm")
    functions = place.open("two.html", "#0/functions")
    check("against old.trm" in functions.text and "+100.0 %" in functions.text, functions.text[:800])
    check("Changes are against new.trm" in place.open("two.html", "#1/overview").text, "the other profile is not shown")


@test
def timeline(place):
    place.measure("steps.trm", "-m", "blocks", "--interval", "100k")
    place.command("page", "steps.trm")
    shown = place.open("steps.html", "#0/timeline")
    check("Instructions over time" in shown.text and shown.tags.get("rect", 0) > 2, shown.text[:800])


@test
def hostile_names(place):
    """Names that look like markup are text."""
    place.build("hostile", 'int f(int n) __asm__("\\"%s\\"");\n'
                '__attribute__((noipa)) int f(int n) { return n * 3 + n / 7 %% 5; }\n'
                'int main(void) { int s = 0; for (int i = 0; i < 100000; i++) s += f(i); return s == 1; }\n'
                % HOSTILE)
    place.measure("hostile.trm", "-m", "edges", program="hostile")
    data = json.loads(place.command("page", "--json", "-o", "-", "hostile.trm"))
    index = place.function(data, HOSTILE)
    place.command("page", "hostile.trm")
    for address in ("", "#0/functions", f"#0/code/{index}", "#0/flame", f"#0/code/{index}/flow"):
        shown = place.open("hostile.html", address)
        check(not shown.tags.get("img"), f"{address}: the name became an element")
        check(HOSTILE in shown.text or "flow" in address, f"{address}: the name is not there: {shown.text[:600]}")
        check(shown.body != "1", "the name was run")


@test
def cut_page(place):
    """A page that was cut says so."""
    place.measure("cut.trm")
    place.command("page", "cut.trm")
    with open(place.path("cut.html")) as file:
        text = file.read()
    at = text.index('id="data">') + len('id="data">')
    end = text.index("<", at)
    with open(place.path("cut.html"), "w") as file:
        file.write(text[:at] + text[at:at + (end - at) // 2 // 4 * 4] + text[end:])
    check("cannot be read" in place.open("cut.html", "").text, "nothing is said")


SPEEDSCOPE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "page", "node_modules", "speedscope",
                          "dist", "release", "index.html")


class Cells(html.parser.HTMLParser):
    """The rows of a page's tables, as lists of texts."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.rows = []
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        elif tag == "td" and self.rows:
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def speedscope_rows(place, name):
    """Total and self of each function, as speedscope has them of a file."""
    with open(place.path(name), "rb") as file:
        content = base64.b64encode(file.read()).decode()
    with open(place.path("load.js"), "w") as out:
        out.write(f"speedscope.loadFileFromBase64({json.dumps(name)}, {json.dumps(content)})")
    words = place.browser("--enable-unsafe-swiftshader", f"file://{os.path.realpath(SPEEDSCOPE)}"
                          f"#localProfilePath={place.path('load.js')}&view=sandwich")
    rows = Cells(subprocess.run(words, capture_output=True, text=True, timeout=120).stdout).rows
    return {row[2].split("`")[-1]: tuple(int(cell.split()[0].replace(",", "")) for cell in row[:2])
            for row in rows if len(row) == 3 and "%" in row[0]}


@test
def other_reader(place):
    """speedscope shows of exports what reports say: calls of functions, with and without callees."""
    place.measure("paths.trm", "-m", "callgraph")
    rows = json.loads(place.command("report", "--json", "paths.trm"))["rows"]
    wanted = {row["function"]: row["calls"] for row in rows if row["function"] in ("work", "compare", "qsort_r")}
    check(wanted["work"] == 40 and wanted["compare"] > 1000, f"{wanted}")
    for form in ("speedscope", "callgrind", "pprof", "folded"):
        place.command("export", "--to", form, "--type", "calls", "-o", f"calls.{form}", "paths.trm")
        found = speedscope_rows(place, f"calls.{form}")
        # Of callgrind's format it leaves out calls below 0.01 % of all, as their callers' own.
        names = set(wanted) - {"qsort_r" if form == "callgrind" else ""}
        check(all(found.get(name, (0, 0))[1] == wanted[name] for name in names), f"{form}: {found}, not {wanted}")
        check(found["work"] == (40, 40) and found["qsort_r"][0] >= wanted["compare"], f"{form}: {found}")


def choose(browser, label, option):
    """Takes an option of the list with this label."""
    browser.value(f"""(() => {{
        const list = [...document.querySelectorAll('main label')].find((each) => each.textContent.startsWith({json.dumps(label)})).querySelector('select')
        list.value = [...list.options].find((each) => each.text.startsWith({json.dumps(option)})).value
        list.dispatchEvent(new Event('change', {{ bubbles: true }}))
    }})()""")


def type_into(browser, text):
    """Types into the filter of a table."""
    browser.value(f"""(() => {{
        const field = document.querySelector('main input[type=search]')
        field.value = {json.dumps(text)}
        field.dispatchEvent(new Event('input', {{ bubbles: true }}))
    }})()""")


@contextlib.contextmanager
def opened(place, page):
    """Chromium with a page that must not complain."""
    with tempfile.TemporaryDirectory(dir=place.folder) as folder:
        browser = page_browser.Browser(folder)
        try:
            browser.open(f"file://{place.path(page)}")
            yield browser
            check(not browser.complaints, f"the page complains: {browser.complaints}")
        finally:
            browser.close()


@test
def every_view(place):
    """Each view is opened and clicked through; all of them compare two profiles."""
    place.measure("after.trm", "-m", "edges,callgraph,calls", arguments=["20000"])
    place.measure("before.trm", "-m", "edges,callgraph,calls")
    place.command("page", "-o", "both.html", "after.trm", "before.trm")
    data = json.loads(place.command("page", "--json", "-o", "-", "after.trm"))
    index = place.function(data, "work")
    files = json.loads(place.command("coverage", "--json", "after.trm"))["files"]
    with opened(place, "both.html") as browser:
        browser.go("#0/overview", "Changes are against before.trm")
        # Times are whatever the machine has to do.
        check(re.search(r"work app\s+[\d.]+ \S+\s+[\d.]+ %\s+([+-]\d|×\d|same)", browser.text()), browser.text()[:900])
        browser.go("#0/flame", "root on top")
        for option, wanted in (("Calls in", "qsort_r"), ("Modules", "libc.so.6"), ("Source tree: instr", "app.c")):
            choose(browser, "Show", option)
            browser.wait(f"document.querySelector('.flame').textContent.includes({json.dumps(wanted)})", option)
        browser.go("#0/functions", "against before.trm")
        type_into(browser, "WoRk")
        browser.wait("document.querySelector('main').innerText.includes('1 of ')")
        check("%" in browser.text() and "work" in browser.text(), browser.text())
        browser.go(f"#0/code/{index}", "in before.trm")
        line = next(number for number, text in enumerate(WORK.split("\n"), 1) if "i % 7" in text)
        check(re.search(rf"\t{line}\t", browser.text()), f"no line {line}: {browser.text()[:600]}")
        browser.go(f"#0/code/{index}/flow", ", was ")
        browser.go(f"#0/code/{index}/callers", "against before.trm")
        browser.go("#0/sources", "functions in before.trm")
        browser.value("[...document.querySelectorAll('main button')].find((each) => each.textContent === 'Open all').click()")
        app = next(row for row in files if row["file"].endswith("/app.c"))
        browser.wait("document.querySelector('main').innerText.includes('app.c')")
        parts = browser.value("""[...[...document.querySelectorAll('tr')].find((row) => row.textContent.includes('app.c'))
            .querySelectorAll('td[title]')].map((each) => each.title)""")
        check(parts[0] == f"{app['functions.executed']} of {app['functions.known']}", f"{parts}, not {app}")
        check(parts[1] == f"{app['lines.executed']} of {app['lines.known']}", f"{parts}, not {app}")
        pictures = [browser.picture(dark) for dark in (False, True)]
        check(pictures[0] != pictures[1] and min(map(len, pictures)) > 10000, f"pictures of {[*map(len, pictures)]} bytes")
        printed = base64.b64decode(browser.call("Page.printToPDF")["data"])
        check(printed.startswith(b"%PDF") and len(printed) > 10000, f"{len(printed)} bytes are printed")


@test
def values_and_waits(place):
    """Tables of values, of waits, and of a tool."""
    place.measure("values.trm", "-m", "values:exact", "--only", "app:work")
    place.measure("waits.trm", "-m", "waits", program="/bin/sh", arguments=["-c", "sleep 0.02"])
    place.measure("tool.trm", "--tool", "branch")
    place.command("page", "-o", "tables.html", "values.trm", "waits.trm", "tool.trm")
    row = max(json.loads(place.command("values", "--json", "values.trm"))["rows"], key=lambda row: row["seen"])
    with opened(place, "tables.html") as browser:
        browser.go("#0/values", "top value")
        for text in (grouped(row["seen"]), "work"):
            browser.wait(f"document.querySelector('main').innerText.includes({json.dumps(text)})")
        type_into(browser, "no such thing")
        browser.wait("document.querySelector('main').innerText.includes('0 of ')")
        browser.go("#1/tables", "Table")
        choose(browser, "Table", "What threads waited for")
        browser.wait("/sleep[^]*clock_nanosleep/.test(document.querySelector('main').innerText)")
        check(re.search(r"\d\d\.?\d* ms", browser.text()), browser.text()[:600])
        browser.go("#2/tables", "branch")


PHASES = """
#include <trammel/annotate.h>
#include <pthread.h>
#include <stdlib.h>
static volatile long sink;
static void *work(void *steps)
{
	for (long i = 0; i < (long)steps; i++) {
		TRM_REGION("step <b>&");
		for (long k = 0; k < 20000; k++)
			sink += k;
		TRM_REGION("inner");
	}
	return 0;
}
int main(int argc, char **argv)
{
	long steps = argc > 1 ? atol(argv[1]) : 5;
	pthread_t thread;
	pthread_create(&thread, 0, work, (void *)steps);
	work((void *)steps);
	pthread_join(thread, 0);
	return 0;
}
"""
INCLUDE = "-I" + os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "include")


def phases_of(data, count):
    """How often each phase began, by the page's data."""
    sums = {}
    for node, number in zip(data["node"], data[count]):
        sums[node] = sums.get(node, 0) + number
    return sums


@test
def timeline_of_phases(place):
    """Phases of threads on one scale with those of another run; by the mouse's buttons and by keys."""
    place.build("phases", PHASES, "-pthread", INCLUDE)
    place.measure("now.trm", "-m", "regions,trace", program="phases")
    place.measure("then.trm", "-m", "regions,trace", program="phases", arguments=["3"])
    place.command("page", "-o", "phases.html", "now.trm", "then.trm")
    rows = json.loads(place.command("report", "--by", "region", "--json", "now.trm"))["rows"]
    check(sorted(row["count"] for row in rows) == [10, 10], str(rows))
    with opened(place, "phases.html") as browser:
        browser.go("#0/timeline", "Phases of threads in then.trm")
        browser.wait("document.querySelectorAll('.row').length === 2")
        cells = browser.value("[...document.querySelectorAll('.row')].map((row) => "
                              "[...row.children].map((cell) => cell.textContent))")
        check(sorted(row[:2] for row in cells) == [["inner", "10"], ["step <b>&", "10"]], str(cells))
        check(all(row[5] and row[6] for row in cells), f"not compared: {cells}")
        lanes = [row for row in browser.tree() if row[1].startswith("Phases of threads in now.trm: 2 rows")]
        check(len(lanes) == 1 and lanes[0][2], f"the timeline has no name: {lanes}")
        status = "document.querySelector('.lanes + .status').textContent"
        range_ = "document.querySelector('.controls .note').textContent"
        whole = browser.value(range_)
        browser.value("document.querySelector('.lanes').focus()")
        browser.key("ArrowRight")
        browser.wait(f"{status}.includes(': step <b>&, ')")
        browser.key("ArrowDown")
        browser.wait(f"{status}.includes(': inner, ')")
        browser.key("Enter")
        browser.wait(f"{range_} !== {json.dumps(whole)}")
        browser.key("Escape")
        browser.wait(f"{range_} === {json.dumps(whole)}")
        browser.value("[...document.querySelectorAll('button')].find((each) => each.textContent === 'Zoom in').click()")
        browser.wait(f"{range_} !== {json.dumps(whole)}")
        pictures = [browser.picture(dark) for dark in (False, True)]
        check(pictures[0] != pictures[1] and min(map(len, pictures)) > 10000, "nothing is drawn")


@test
def timeline_of_intervals(place):
    """What phases and threads did in each interval."""
    place.build("phases", PHASES, "-pthread", INCLUDE)
    for name in ("now", "then"):
        place.measure(f"{name}.trm", "-m", "blocks,regions", "--threads", "--interval", "50k", program="phases")
    data = json.loads(place.command("page", "--json", "-o", "-", "now.trm"))["profiles"][0]
    timeline, intervals = data["timeline"], data["intervals"]
    check(sorted(phases_of(timeline["phases"], "count").values()) == [10, 10], str(timeline["phases"]))
    parts = timeline["parts"]
    for i, interval in enumerate(intervals):
        counted = sum(number for at, number in zip(parts["interval"], parts["instructions"]) if at == i)
        check(counted == interval["instructions"], f"interval {i}: {counted}, not {interval}")
    place.command("page", "-o", "intervals.html", "now.trm", "then.trm")
    with opened(place, "intervals.html") as browser:
        browser.go("#0/timeline", "Threads in each interval in then.trm")
        for text in ("Phases in each interval in now.trm", "Instructions over time in then.trm"):
            check(text in browser.text(), browser.text())
        threads = timeline["threads"]
        check(len(threads) == 2, str(threads))
        for thread in threads:
            browser.wait(f"document.querySelector('main').innerText.includes('{grouped(thread['instructions'])}')")
        browser.value("document.querySelectorAll('.lanes')[2].focus()")
        browser.key("ArrowRight")
        browser.wait("document.querySelectorAll('.lanes + .status')[2].textContent.includes(' instructions')")


@test
def values_and_tables_of_two(place):
    """Values and rows of tools stand beside those of another run, whose processes have other numbers."""
    for name, count in (("now", "20000"), ("then", "10000")):
        place.measure(f"{name}.values.trm", "-m", "values:exact", "--only", "app:work", arguments=[count])
        place.measure(f"{name}.tool.trm", "--tool", "branch", arguments=[count])
    place.command("page", "-o", "values.html", "now.values.trm", "then.values.trm")
    place.command("page", "-o", "tools.html", "now.tool.trm", "then.tool.trm")
    cells = "[...document.querySelectorAll('.row')].map((row) => [...row.children].map((cell) => cell.textContent))"
    with opened(place, "values.html") as browser:
        browser.go("#0/values", "in then.values.trm")
        browser.wait("document.querySelectorAll('.row').length > 3")
        rows = browser.value(cells)
        large = [each["value"] for row in json.loads(place.command("values", "--json", "now.values.trm"))["rows"]
                 for each in row["values"][:1] if abs(each["value"]) > 2**60]
        check(large and all(any(str(value) in row[4] for row in rows) for value in large), f"not {large}: {rows}")
        check(all(row[3] for row in rows), f"not compared: {rows}")
    with opened(place, "tools.html") as browser:
        browser.go("#0/tables", "“before” is then.tool.trm")
        choose(browser, "Table", "branch/branches")
        type_into(browser, "app.c")
        browser.wait("/800,000\\s+400,000/.test(document.querySelector('main').innerText)")


@test
def keyboard(place):
    """What can be pressed or chosen has a role and a name; tabs and rows go by the arrows."""
    place.measure("keys.trm", "-m", "edges")
    place.command("page", "keys.trm")
    with opened(place, "keys.html") as browser:
        for view, wanted in (("overview", "What stands out"), ("flame", "root on top"), ("functions", "Filter"),
                             ("code", "Control flow"), ("sources", "Open all")):
            browser.go(f"#0/{view}", wanted)
            rows = browser.tree()
            nameless = [row for row in rows if row[2] and not row[1] and row[0] not in ("RootWebArea", "generic")]
            check(not nameless, f"{view}: without names: {nameless}")
            roles = {row[0] for row in rows}
            check({"tablist", "tab", "tabpanel", "heading", "main"} & roles >= {"tablist", "tab"}, f"{view}: {roles}")
        browser.value("document.querySelector('[role=tab][aria-selected=true]').focus()")
        browser.key("ArrowRight")
        browser.wait("document.activeElement.getAttribute('role') === 'tab' && location.hash !== '#0/sources'")
        browser.go("#0/functions", "Filter")
        browser.value("document.querySelector('.body').focus()")
        browser.key("ArrowDown")
        browser.wait("document.querySelectorAll('.row')[1].classList.contains('at')")
        browser.key("Enter")
        browser.wait("location.hash.startsWith('#0/code/')")


@test
def large(place):
    """Of a large profile the overview is there before its names are; tables and graphs are as of small ones."""
    count = 60000
    with open(place.path("large.folded"), "w") as out:
        for i in range(count):
            out.write(f"main;phase_{i % 100};function_{i:06} {i + 1}\n")
    place.command("import", "-o", "large.trm", "large.folded")
    place.command("page", "large.trm")
    with open(place.path("large.html")) as file:
        page = file.read()
    rest = re.sub(r'<script type="text/plain" id="[^"]*">[^<]*</script>', "", page)
    check(len(rest) <= 300 * 1000, f"the page without its data has {len(rest)} bytes")
    check(page.index('id="data"') < page.index("<script>") < page.rindex('id="part-'), "names stand before the script")
    with opened(place, "large.html") as browser:
        browser.go("#0/overview", f"function_{count - 1:06}")
        browser.go("#0/functions", f"{count:,} of {count:,} functions")
        browser.wait(f"document.querySelector('main').innerText.includes('function_{count - 1:06}')")
        browser.value("document.querySelector('.head button').click()")
        browser.wait("document.querySelector('main').innerText.includes('function_000000')")
        type_into(browser, "FUNCTION_05999")
        browser.wait("document.querySelector('main').innerText.includes('10 of 60,000')")
        browser.go("#0/flame", "root on top")
        browser.wait("document.querySelectorAll('.flame rect').length > 10")
        frames = browser.value("document.querySelectorAll('.flame rect').length")
        check(10 < frames < 20000, f"{frames} frames")
        # One of the small frames that were left out is there after zooming.
        browser.value("[...document.querySelectorAll('.frame')].find((each) => each.textContent.includes('phase_50'))"
                      ".dispatchEvent(new MouseEvent('click', { bubbles: true }))")
        browser.wait("document.querySelector('.flame').textContent.includes('function_059950')")


def run_all(options, folder):
    place = Place(os.path.abspath(options.trammel), folder)
    passed = failed = 0
    for run in TESTS:
        if options.only and options.only not in run.__name__ or not asked(run.__name__):
            continue
        try:
            run(place)
            passed += 1
            print(f"ok   {run.__name__}", flush=True)
        except (Failure, subprocess.SubprocessError, ValueError, OSError, RuntimeError) as error:
            failed += 1
            print(f"FAIL {run.__name__}: {error}", flush=True)
    return passed, failed


def why_not(trammel):
    if not shutil.which("chromium"):
        return "there is no chromium"
    done = subprocess.run([trammel, "page", "/dev/null"], capture_output=True, text=True)
    return "trammel was built without npm" if "without npm" in done.stderr else None


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--trammel", default="build/src/cli/trammel", metavar="PATH")
    arguments.add_argument("--only", metavar="NAME", help="tests whose name has this in it")
    arguments.add_argument("--keep", metavar="DIR", help="leave all files here")
    options = arguments.parse_args()
    reason = why_not(options.trammel)
    if reason:
        print(f"skipped: {reason}\n0 passed, 0 failed, {len(TESTS)} skipped")
        return 0
    with tempfile.TemporaryDirectory(prefix="trammel-page-") as made:
        folder = options.keep or made
        os.makedirs(folder, exist_ok=True)
        os.environ["XDG_CACHE_HOME"] = os.path.join(made, "cache")
        passed, failed = run_all(options, folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
