#include "report/text/terms.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define ATTRIBUTE(name, text)                                                            \
	{                                                                                \
		name, TERM_ATTRIBUTE, text, "docs/profile.md"                            \
	}
#define COLUMN(name, text, see)                                                          \
	{                                                                                \
		name, TERM_COLUMN, text, see                                             \
	}
#define WORD(name, text, see)                                                            \
	{                                                                                \
		name, TERM_WORD, text, see                                               \
	}

const struct term terms[] = {
	/* Attributes of records. */
	ATTRIBUTE("arc.count", "how often a function was called from a call site"),
	ATTRIBUTE("arc.kind", "what a call site is: direct, jump, plt, indirect, signal, "
			      "other or unknown"),
	ATTRIBUTE("arc.site", "address of the call instruction in its module's file"),
	ATTRIBUTE("attach.stop.ns",
		  "the longest time that all threads stood while trammel attached"),
	ATTRIBUTE("block", "address of a basic block's first instruction in its file"),
	ATTRIBUTE("block.instructions", "number of instructions of a basic block"),
	ATTRIBUTE("block.size", "bytes of a basic block"),
	ATTRIBUTE("block.stayed",
		  "how often a block was entered less how often it was left: calls in it "
		  "that did not come back, threads that ended there"),
	ATTRIBUTE("branch.from", "address of a branch that the processor noted"),
	ATTRIBUTE("branch.mispredicted",
		  "how often it was noted with a wrong prediction"),
	ATTRIBUTE("branch.samples", "how often the processor noted a branch"),
	ATTRIBUTE("branch.target", "the function that a branch leads to"),
	ATTRIBUTE("branch.to", "address of what a branch leads to"),
	ATTRIBUTE("buildid",
		  "build id of a module's file: whether a file is the one that "
		  "was measured"),
	ATTRIBUTE("caller", "name of the function around a call site"),
	ATTRIBUTE("caller.offset", "address of that function in its file"),
	ATTRIBUTE("caller.path", "path of the module that a call site is in"),
	ATTRIBUTE("calls", "how often a function was called; 1 in coverage profiles"),
	ATTRIBUTE("code.address", "address of the code that a tool's row is about"),
	ATTRIBUTE("context.faults", "ends of regions without a begin, and lost events"),
	ATTRIBUTE("count", "how often a block was entered, an edge taken, a region "
			   "entered"),
	ATTRIBUTE("edge", "address of the instruction that an edge leaves"),
	ATTRIBUTE("edge.from", "address of the block that an edge leaves"),
	ATTRIBUTE("edge.kind", "jump, next (the code runs on), switch, or leave"),
	ATTRIBUTE("edge.to",
		  "address of the block that an edge leads to; none: out of the "
		  "function"),
	ATTRIBUTE("event",
		  "of samples: what they were taken by; of traces: begin, end, set "
		  "or move"),
	ATTRIBUTE("event.frequency", "samples a second that were asked for"),
	ATTRIBUTE("event.kernel", "1: samples are of the kernel's code, too"),
	ATTRIBUTE("event.looks",
		  "how many looks at threads samples are, without perf events"),
	ATTRIBUTE("event.period", "events from one sample to the next, as asked"),
	ATTRIBUTE("event.running.ns", "time in which an event was counted by a counter"),
	ATTRIBUTE("event.samples", "how many samples were taken by an event"),
	ATTRIBUTE("event.time.ns", "time for which the threads ran"),
	ATTRIBUTE("event.total", "events in all, also where no samples are taken"),
	ATTRIBUTE("event.unit", "ns of clocks"),
	ATTRIBUTE("flow.fault", "a block at which counters contradict each other"),
	ATTRIBUTE("frame", "a function on the call path to a sample, outermost first"),
	ATTRIBUTE("frame.module", "path of the module of a frame"),
	ATTRIBUTE("function", "name of a function; sub_ and its address if it has none"),
	ATTRIBUTE("function.loads", "how often a function's instructions read memory"),
	ATTRIBUTE("function.loads.bytes", "how many bytes they read"),
	ATTRIBUTE("function.returned", "how often a return instruction left a function"),
	ATTRIBUTE("function.stores", "how often a function's instructions wrote memory"),
	ATTRIBUTE("function.stores.bytes", "how many bytes they wrote"),
	ATTRIBUTE("function.tail_calls",
		  "how often a jump to another function left a function"),
	ATTRIBUTE("functions.instrumented", "functions of a module that were counted"),
	ATTRIBUTE("functions.known", "functions that a module is known to have"),
	ATTRIBUTE("graph.calls", "how often a function was called in a context"),
	ATTRIBUTE("graph.function", "a function on the way of calls, outermost first"),
	ATTRIBUTE("graph.offset", "its address in its file"),
	ATTRIBUTE("graph.path", "path of its module"),
	ATTRIBUTE("graph.time.exclusive.ns",
		  "time in a context without that of what it called"),
	ATTRIBUTE("graph.time.inclusive.ns", "time in a context with what it called"),
	ATTRIBUTE("host", "name of the machine that a run was on"),
	ATTRIBUTE("image", "number of a program in a process: an exec makes a new one"),
	ATTRIBUTE("import.format", "of an imported profile: what it was imported from"),
	ATTRIBUTE("interval", "number of a part of the run: --interval"),
	ATTRIBUTE("interval.end.ns", "when an interval ended, since the program began"),
	ATTRIBUTE("interval.start.ns", "when an interval began, since the program began"),
	ATTRIBUTE("module", "file name of an executable or library"),
	ATTRIBUTE("module.path", "path of its file"),
	ATTRIBUTE("offset", "address of a function in its file"),
	ATTRIBUTE("part.offset", "address of a cold part of a function"),
	ATTRIBUTE("part.reason", "why there are no counts of its blocks"),
	ATTRIBUTE("path",
		  "number of a path through a function; in queries all regions that "
		  "are in one another, a/b/c"),
	ATTRIBUTE("path.blocks", "blocks of a path, as distances in hexadecimal digits"),
	ATTRIBUTE("path.count", "how often a path was taken"),
	ATTRIBUTE("path.end", "how a path ends: leave, back, split, stop or call"),
	ATTRIBUTE("path.in", "address of the code that a path leads through"),
	ATTRIBUTE("path.instructions", "instructions on a path"),
	ATTRIBUTE("path.reason", "why a function's paths were not counted"),
	ATTRIBUTE("path.steps", "all steps of a function's paths"),
	ATTRIBUTE("path.total", "how many paths a function has"),
	ATTRIBUTE("probe", "points of a one-line probe, as written"),
	ATTRIBUTE("probe.hits", "how often an action of a probe was done"),
	ATTRIBUTE("probe.kind",
		  "what an action does: count, sum, min, max, avg, hist, top "
		  "or trace"),
	ATTRIBUTE("probe.name", "name of an action of a probe"),
	ATTRIBUTE("probe.number", "number of an action of a probe, in their order"),
	ATTRIBUTE("probe.sum", "sum of the values that an action saw"),
	ATTRIBUTE("process", "number of a process"),
	ATTRIBUTE("process.begin.ns",
		  "when a process began to record, since the first one did"),
	ATTRIBUTE("process.parent", "number of the process that made it"),
	ATTRIBUTE("process.reason", "why a process was not, or not wholly, measured"),
	ATTRIBUTE("process.state", "how a process ended, or that it runs"),
	ATTRIBUTE("program", "path of the executable of a process"),
	ATTRIBUTE("region", "a region that the program named, in those around it"),
	ATTRIBUTE("region.path",
		  "the regions that a thread was in, from the outermost on: main/solve"),
	ATTRIBUTE("run", "number of a run in a merged profile"),
	ATTRIBUTE("run.command", "the command that was measured, as a shell needs it"),
	ATTRIBUTE("run.exit", "how it ended: an exit status, or a signal"),
	ATTRIBUTE("run.incomplete", "what is missing since the tracer was killed"),
	ATTRIBUTE("run.instrument.ns",
		  "time in which the program was held up or code was planned"),
	ATTRIBUTE("run.measure", "what was measured: the words of -m"),
	ATTRIBUTE("run.only", "which functions were measured alone, as given"),
	ATTRIBUTE("run.regions", "which functions were regions, as given"),
	ATTRIBUTE("run.skip", "which functions were left out, as given"),
	ATTRIBUTE("run.start", "when the run began, UTC"),
	ATTRIBUTE("run.state", "complete, or running: processes of it lived on"),
	ATTRIBUTE("run.unmatched", "options that meant nothing in this program"),
	ATTRIBUTE("run.wall.ns", "how long the run took"),
	ATTRIBUTE("run.window", "the options that say which part of the run is counted"),
	ATTRIBUTE("sample.address",
		  "address of the instruction at which samples were taken"),
	ATTRIBUTE("sample.events",
		  "events that samples stand for: nanoseconds of clocks"),
	ATTRIBUTE("sample.weight", "ticks of precise samples, in all"),
	ATTRIBUTE("samples", "how many samples were taken at a place"),
	ATTRIBUTE("samples.cut_off", "samples whose call path begins in the middle"),
	ATTRIBUTE("samples.dropped", "samples of which nobody knows whose they are"),
	ATTRIBUTE("samples.lost", "samples that found no room in the kernel's buffer"),
	ATTRIBUTE("samples.notes", "events that were not to be had, and what was used "
				   "instead"),
	ATTRIBUTE("samples.own.ns", "time that sampling itself took"),
	ATTRIBUTE("samples.throttled", "how often the kernel held samples back"),
	ATTRIBUTE("skip.reason", "why a function, or a module, was not counted"),
	ATTRIBUTE("source.file", "path of a source file"),
	ATTRIBUTE("source.line", "line in it"),
	ATTRIBUTE("thread", "the kernel's number of a thread"),
	ATTRIBUTE("threads", "how many threads a process had"),
	ATTRIBUTE("time.ns", "time in a region and in nothing further in"),
	ATTRIBUTE("time.offset.ns",
		  "when an event was, since the process began to record"),
	ATTRIBUTE("tool", "name of the tool that recorded a row"),
	ATTRIBUTE("tool.printed", "1: a tool printed something by itself"),
	ATTRIBUTE("tool.records", "how many records are in a row of a tool's table"),
	ATTRIBUTE("tool.table", "name of the table of a tool's row"),
	ATTRIBUTE("trm.version", "version of the trammel that measured"),
	ATTRIBUTE("wait.holder",
		  "functions of the thread that holds, or released, a lock"),
	ATTRIBUTE("wait.kind", "what a thread waited for: mutex, condition, socket, ..."),
	ATTRIBUTE("wait.longest.ns", "the longest of the waits"),
	ATTRIBUTE("wait.on", "what a thread waited for, in words"),
	ATTRIBUTE("window.end.ns", "when counting ended"),
	ATTRIBUTE("window.start.ns", "when counting began"),
	/* Titles of columns. */
	COLUMN("A", "the number in the first profile", "trammel-diff(1)"),
	COLUMN("Address", "link-time address: as in the file, and in objdump",
	       "trammel-report(1)"),
	COLUMN("B", "the number in the second profile", "trammel-diff(1)"),
	COLUMN("Block", "a basic block: its function, and the distance from its start",
	       "trammel-diff(1)"),
	COLUMN("Blocks", "how many basic blocks were executed", "trammel-coverage(1)"),
	COLUMN("Branch", "where the instruction leads, and how often",
	       "trammel-annotate(1)"),
	COLUMN("By", "how a call site calls: see arc.kind", "trammel-report(1)"),
	COLUMN("Bytes", "of loads or stores: how many bytes", "trammel-report(1)"),
	COLUMN("Caller", "the function around the call site", "trammel-report(1)"),
	COLUMN("Calls", "how often a function was called; exact", "trammel-report(1)"),
	COLUMN("Calls/s", "calls in a second, since the update before", "trammel-top(1)"),
	COLUMN("Change", "the difference in percent of A; new: not in A; gone: not in B",
	       "trammel-diff(1)"),
	COLUMN("Confidence", "how sure a finding is: low, medium or high",
	       "trammel-advise(1)"),
	COLUMN("Count", "how often a block was entered, or an edge taken",
	       "trammel-report(1)"),
	COLUMN("Cumulative", "part of all instructions, with those of the rows above",
	       "trammel-paths(1)"),
	COLUMN("Depth", "how many loops it is in, itself included", "trammel-loops(1)"),
	COLUMN("Difference", "B less A", "trammel-diff(1)"),
	COLUMN("Each", "time of one execution, with two standard deviations",
	       "trammel-annotate(1)"),
	COLUMN("Each call", "time of a call by itself, with two standard deviations",
	       "trammel-report(1)"),
	COLUMN("Edge", "from one block to another", "trammel-diff(1)"),
	COLUMN("Entries", "how often a loop was entered from outside",
	       "trammel-loops(1)"),
	COLUMN("Evidence", "the numbers that a finding rests on", "trammel-advise(1)"),
	COLUMN("Exclusive", "time in it, without what it called or contains",
	       "trammel-report(1)"),
	COLUMN("Executed", "how many functions, or lines, were executed",
	       "trammel-report(1)"),
	COLUMN("Finding", "what was found", "trammel-advise(1)"),
	COLUMN("From", "address of the block that an edge leaves", "trammel-report(1)"),
	COLUMN("From module", "module of the call site", "trammel-report(1)"),
	COLUMN("From s", "when an interval began, in seconds", "trammel-report(1)"),
	COLUMN("Function's", "part of the function's instructions", "trammel-paths(1)"),
	COLUMN("Inclusive", "time in it, with what it called or contains",
	       "trammel-report(1)"),
	COLUMN("Instruction", "as objdump writes it", "trammel-annotate(1)"),
	COLUMN("Instructions", "how many instructions were executed; exact",
	       "trammel-report(1)"),
	COLUMN("Interval", "number of a part of the run", "trammel-report(1)"),
	COLUMN("Invariance", "the share of the most frequent value", "trammel-values(1)"),
	COLUMN("Iterations", "how often a loop's first instruction was executed",
	       "trammel-loops(1)"),
	COLUMN("Kind", "what a value is: result, load, store, address, target, ...",
	       "trammel-values(1)"),
	COLUMN("Known", "how many functions, or lines, there are", "trammel-report(1)"),
	COLUMN("Last", "the share of values equal to the one before",
	       "trammel-values(1)"),
	COLUMN("Line", "place in the source", "trammel-advise(1)"),
	COLUMN("Lines", "source lines", "trammel-coverage(1)"),
	COLUMN("Loads", "how often memory was read", "trammel-report(1)"),
	COLUMN("Longest", "the longest of the waits", "trammel-stacks(1)"),
	COLUMN("Looks", "in how many looks at the threads it was seen",
	       "trammel-stacks(1)"),
	COLUMN("Number", "which number of a row it is", "trammel-diff(1)"),
	COLUMN("Of", "what a share is of", "trammel-advise(1)"),
	COLUMN("Otherwise",
	       "calls that neither returned nor jumped on: exceptions, longjmp, under "
	       "way",
	       "trammel-report(1)"),
	COLUMN("Part", "which part of what is known was executed", "trammel-report(1)"),
	COLUMN("Place", "function, distance from its start, source line",
	       "trammel-values(1)"),
	COLUMN("Program's", "part of all instructions", "trammel-paths(1)"),
	COLUMN("Returned", "how often a return instruction left it", "trammel-report(1)"),
	COLUMN("Row", "what tells rows apart", "trammel-diff(1)"),
	COLUMN("Rule", "the rule that found it", "trammel-advise(1)"),
	COLUMN("Samples", "how many samples were taken in it", "trammel-report(1)"),
	COLUMN("Samples/s", "samples in a second, since the update before",
	       "trammel-top(1)"),
	COLUMN("Seconds", "how long it has been shown", "trammel-top(1)"),
	COLUMN("Seen", "executions of an instruction", "trammel-values(1)"),
	COLUMN("Share", "part of all that the report is about, of the column before it",
	       "trammel-report(1)"),
	COLUMN("Significance",
	       "difference in standard deviations, if samples came by chance",
	       "trammel-diff(1)"),
	COLUMN("Source", "place in the source", "trammel-coverage(1)"),
	COLUMN("Source file", "path of a source file", "trammel-coverage(1)"),
	COLUMN("State", "how a process ended, or that it runs", "trammel-report(1)"),
	COLUMN("Stores", "how often memory was written", "trammel-report(1)"),
	COLUMN("Stride", "the most frequent difference of two values in a row",
	       "trammel-values(1)"),
	COLUMN("Tail calls", "how often a jump to another function left it",
	       "trammel-report(1)"),
	COLUMN("Threads", "how many threads a process had", "trammel-report(1)"),
	COLUMN("Time", "what the samples stand for, or a region took",
	       "trammel-report(1)"),
	COLUMN("To", "where an edge or a path leads", "trammel-report(1)"),
	COLUMN("To s", "when an interval ended, in seconds", "trammel-report(1)"),
	COLUMN("Trips", "iterations of a loop for each entry", "trammel-loops(1)"),
	COLUMN("Try", "what to change", "trammel-advise(1)"),
	COLUMN("Values", "the most frequent values, with their shares",
	       "trammel-values(1)"),
	COLUMN("Waits", "how many waits there were", "trammel-stacks(1)"),
	COLUMN("Way", "how an edge goes: jump, next, switch, leave", "trammel-report(1)"),
	COLUMN("What", "which register or operand has the value", "trammel-values(1)"),
	COLUMN("Zero", "the share of 0", "trammel-values(1)"),
	/* Terms. */
	WORD("arc", "calls of a function from one call site", "trammel-report(1)"),
	WORD("attach", "to measure a process that runs already", "trammel-attach(1)"),
	WORD("bank", "memory of one thread with its counters: no two threads share one",
	     "ARCHITECTURE.md"),
	WORD("basic block",
	     "instructions that are executed one after the other: it is entered at its "
	     "first "
	     "one, and ends in a branch, a return, or before what something leads to",
	     "trammel-run(1)"),
	WORD("call graph", "calls in their contexts: who called whom, on which way",
	     "trammel-run(1)"),
	WORD("call path", "the functions that called one another, up to a place",
	     "trammel-run(1)"),
	WORD("call site", "an instruction that calls", "trammel-report(1)"),
	WORD("channel", "a measurement that an annotated program makes of itself",
	     "trammel-channels(7)"),
	WORD("cold part",
	     "code of a function that the compiler has put elsewhere, since it "
	     "is seldom executed",
	     "trammel-report(1)"),
	WORD("context",
	     "a way of calls on which a function was called; or the regions that a "
	     "thread is in",
	     "trammel-run(1)"),
	WORD("coverage", "which functions, blocks or lines were executed at all",
	     "trammel-coverage(1)"),
	WORD("edge", "a way from one basic block to another", "trammel-run(1)"),
	WORD("epoch", "runs of a database that belong together", "trammel-db(1)"),
	WORD("event",
	     "what samples are taken by: a clock, or what the processor or the "
	     "kernel counts",
	     "trammel-run(1)"),
	WORD("false sharing",
	     "threads that write at different places of one cache line, "
	     "which each takes from the other",
	     "trammel-tools(7)"),
	WORD("finding", "what a rule of advice found, with its evidence",
	     "trammel-advise(1)"),
	WORD("indirect function",
	     "a function whose code is chosen for the processor when it "
	     "is linked (IFUNC), as memcpy",
	     "docs/limits.md"),
	WORD("interval", "a part of a run with counts of its own", "trammel-run(1)"),
	WORD("jitdump", "a file in which a JIT compiler says what it made",
	     "trammel-run(1)"),
	WORD("link-time address",
	     "an address as it is in the file, wherever it is loaded", "docs/profile.md"),
	WORD("loop", "blocks with one entry, the header, and a way back to it",
	     "trammel-loops(1)"),
	WORD("module", "an executable or a shared library", "trammel-report(1)"),
	WORD("path", "a way through a function from its entry, or a loop's header, on",
	     "trammel-paths(1)"),
	WORD("phase", "a region of the program by which counts are told apart",
	     "trammel-run(1)"),
	WORD("plan",
	     "what changes in a module's code for a measurement; kept in the cache",
	     "ARCHITECTURE.md"),
	WORD("probe", "a measurement of one's own, in a line, at points of a program",
	     "trammel-probe(7)"),
	WORD("profile", "the file that a run leaves, .trm", "docs/profile.md"),
	WORD("region",
	     "a part of a program that it names itself, or a function that "
	     "--regions names",
	     "docs/annotations.md"),
	WORD("released", "a process that is let go: it runs on unmeasured",
	     "trammel-report(1)"),
	WORD("sample", "a look at where a thread is, at each so many events",
	     "trammel-run(1)"),
	WORD("share", "a part of all in percent", "trammel-report(1)"),
	WORD("skipped",
	     "a function that could not be instrumented safely, and is named with "
	     "the reason",
	     "trammel-report(1)"),
	WORD("tail call", "a jump to another function in place of a call and a return",
	     "trammel-run(1)"),
	WORD("tool", "routines of one's own that are called at points of a program",
	     "trammel-tool(1)"),
	WORD("trace", "each event with its time, not sums", "trammel-run(1)"),
	WORD("trip", "a round of a loop", "trammel-loops(1)"),
	WORD("upcall",
	     "a handler that is called in the midst of a thread at each so many "
	     "events",
	     "trammel-upcall(3)"),
	WORD("value", "what an instruction read or left", "trammel-values(1)"),
	WORD("window", "the part of a run that is counted", "trammel-run(1)"),
	{0},
};

const char *term_kind_name(enum term_kind kind)
{
	static const char *const names[] = {"attribute", "column", "term"};

	return names[kind];
}

/* Whether a word, without what is behind `length`, is a name in any case. */
static bool is_same(const char *name, const char *word, size_t length)
{
	return strlen(name) == length && !strncasecmp(name, word, length);
}

static bool is_meant(const char *name, const char *word)
{
	const size_t length = strlen(word), before = strcspn(word, "(");
	const size_t title = before && before < length && word[before - 1] == ' '
				     ? before - 1
				     : length;

	if (is_same(name, word, title))
		return true;
	/* time: time.ns; blocks: block */
	return (!strncasecmp(name, word, length) && !strcmp(name + length, ".ns")) ||
	       (length > 2 && tolower((unsigned char)word[length - 1]) == 's' &&
		is_same(name, word, length - 1)) ||
	       (!strncasecmp(name, word, length) && !strcmp(name + length, "s"));
}

size_t terms_find(const char *word, const struct term **ret_terms, size_t most)
{
	size_t count = 0;

	for (int exact = 1; exact >= 0 && !count; exact--)
		for (const struct term *term = terms; term->name; term++) {
			if (exact ? strcasecmp(term->name, word) != 0
				  : !is_meant(term->name, word))
				continue;
			if (count < most)
				ret_terms[count] = term;
			count++;
		}
	return count;
}

const char *term_near(const char *word)
{
	const char *nearest = NULL;
	size_t least = strlen(word) / 3 + 1;

	for (const struct term *term = terms; term->name; term++) {
		const size_t distance = text_distance(term->name, word);

		if (distance < least) {
			least = distance;
			nearest = term->name;
		}
	}
	return nearest;
}
