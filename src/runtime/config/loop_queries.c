#include "runtime/config/loop_queries.h"
#include "base/array.h"
#include "runtime/channel/settings.h"
#include "runtime/config/clauses.h"
#include "runtime/config/configurations.h"
#include "runtime/config/request.h"

#include <stdio.h>
#include <string.h>

#define LOOP_TIME(of) ",ls." of "=scale(" of "#iter.duration.ns,1e-9)"
#define BANDWIDTH(speed, bytes, way)                                                     \
	",avg(" speed ") as \"Avg " way " Mbit/s\",max(" speed ") as \"Max " way         \
	" Mbit/s\",avg(" bytes ") as \"Avg " way "\" unit Byte,sum(" bytes               \
	") as \"Total " way "\" unit Byte"

/* What an option adds: to the first step's LET and SELECT, and to the second's. */
static const struct {
	const char *option, *lets, *local, *across;
} metrics[] = {
	{"mem.highwatermark", ",mhwm=scale(alloc.highwatermark,1e-6)", ",max(mhwm)",
	 ",max(max#mhwm) as \"Mem HWM MB\" unit MB"},
	{"mem.pages",
	 ",mem.vmsize=scale(memstat.vmsize,0.25),mem.vmrss=scale(memstat.vmrss,0.25)"
	 ",mem.data=scale(memstat.data,0.25)",
	 ",max(mem.vmsize),max(mem.vmrss),max(mem.data)",
	 ",max(max#mem.vmsize) as VmSize unit pages,max(max#mem.vmrss) as VmRSS unit "
	 "pages"
	 ",max(max#mem.data) as Data unit pages"},
	{"page.faults", "", ",sum(rusage.minflt),sum(rusage.majflt)",
	 ",max(sum#rusage.minflt) as \"Minor faults\""
	 ",max(sum#rusage.majflt) as \"Major faults\""},
	{"io.bytes", "", ",sum(io.bytes.read),sum(io.bytes.written)",
	 ",sum(sum#io.bytes.read) as \"Bytes read\" unit Byte"
	 ",sum(sum#io.bytes.written) as \"Bytes written\" unit Byte"},
	{"io.bytes.read", "", ",sum(io.bytes.read)",
	 ",sum(sum#io.bytes.read) as \"Bytes read\" unit Byte"},
	{"io.bytes.written", "", ",sum(io.bytes.written)",
	 ",sum(sum#io.bytes.written) as \"Bytes written\" unit Byte"},
	{"io.read.bandwidth", "",
	 ",sum(io.bytes.read),ratio(io.bytes.read,io.time.ns,8e3)",
	 BANDWIDTH("ratio#io.bytes.read/io.time.ns", "sum#io.bytes.read", "read")},
	{"io.write.bandwidth", "",
	 ",sum(io.bytes.written),ratio(io.bytes.written,io.time.ns,8e3)",
	 BANDWIDTH("ratio#io.bytes.written/io.time.ns", "sum#io.bytes.written", "write")},
	{"region.count", "", ",sum(region.count)",
	 ",min(sum#region.count) as \"Calls/rank (min)\""
	 ",avg(sum#region.count) as \"Calls/rank (avg)\""
	 ",max(sum#region.count) as \"Calls/rank (max)\""
	 ",sum(sum#region.count) as \"Calls (total)\""},
	{"region.stats", "",
	 ",sum(region.count),min(time.inclusive.duration.ns)"
	 ",sum(time.inclusive.duration.ns),max(time.inclusive.duration.ns)",
	 ",sum(sum#region.count) as Visits"
	 ",min(min#time.inclusive.duration.ns) as \"Nsec/visit (min)\""
	 ",ratio(sum#time.inclusive.duration.ns,sum#region.count)"
	 " as \"Nsec/visit (avg)\""
	 ",max(max#time.inclusive.duration.ns) as \"Nsec/visit (max)\""},
	{"alloc.stats", ",alloc.size=first(alloc.largest) if alloc.largest>0",
	 ",max(alloc.highwatermark),max(alloc.live),sum(alloc.count),sum(alloc.bytes)"
	 ",max(alloc.size)",
	 ",max(max#alloc.highwatermark) as \"Mem HWM\""
	 ",max(max#alloc.live) as \"Alloc tMax\""
	 ",sum(sum#alloc.count) as \"Alloc count\""
	 ",ratio(sum#alloc.bytes,sum#alloc.count) as \"Avg Bytes/alloc\""
	 ",max(max#alloc.size) as \"Max Bytes/alloc\""},
	{"node.order", "", ",min(aggregate.slot)",
	 ",min(min#aggregate.slot) as \"Node order\""},
	{"loop.stats", LOOP_TIME("min") LOOP_TIME("avg") LOOP_TIME("max"),
	 ",max(max#iter.count),min(ls.min),avg(ls.avg),max(ls.max)",
	 ",max(max#max#iter.count) as Iterations unit count"
	 ",min(min#ls.min) as \"Time/iter (min)\" unit sec"
	 ",avg(avg#ls.avg) as \"Time/iter (avg)\" unit sec"
	 ",max(max#ls.max) as \"Time/iter (max)\" unit sec"},
};

/* The two steps of a table. */
struct table {
	const char *const settings[2];
	const char *lets, *local, *local_rest;
	const char *across, *across_rest, *order;
};

#define SPEED  "ratio(loop.iterations,time.duration.ns,1e9)"
#define SERIES "sum(loop.iterations),scale(time.duration.ns,1e-9)," SPEED
#define SERIES_ACROSS                                                                    \
	"max(sum#loop.iterations) as Iterations,max(scale#time.duration.ns) as \"Time "  \
	"(s)\""                                                                          \
	",avg(ratio#loop.iterations/time.duration.ns) as \"Iter/s\""

enum { SUMMARY, SERIES_OF_LOOP, SERIES_OF_ALL, SERIES_OF_SPOT };

static const struct table tables[] = {
	[SUMMARY] = {{"LOOPREPORT_SUMMARY_LOCAL", "LOOPREPORT_SUMMARY_CONFIG"},
		     "iter_per_sec=" SPEED " if loop.start_iteration",
		     "loop,mpi.rank,count(),sum(loop.iterations)"
		     ",scale(time.duration.ns,1e-9),min(iter_per_sec),max(iter_per_sec)",
		     " where loop group by loop,mpi.rank",
		     "loop as Loop,max(sum#loop.iterations) as Iterations"
		     ",max(scale#time.duration.ns) as \"Time (s)\""
		     ",min(min#iter_per_sec) as \"Iter/s (min)\""
		     ",max(max#iter_per_sec) as \"Iter/s (max)\""
		     ",ratio(sum#loop.iterations,scale#time.duration.ns)"
		     " as \"Iter/s (avg)\"",
		     " group by loop",
		     ""},
	[SERIES_OF_LOOP] = {{"LOOPREPORT_TIMESERIES_LOCAL",
			     "LOOPREPORT_TIMESERIES_CONFIG"},
			    "Block=truncate(loop.start_iteration,{block})",
			    "Block,mpi.rank," SERIES,
			    " where loop.start_iteration,loop=\"{loop}\""
			    " group by Block,mpi.rank",
			    "Block," SERIES_ACROSS,
			    " group by Block",
			    " order by Block"},
	[SERIES_OF_SPOT] =
		{{"LOOPREPORT_TIMESERIES_LOCAL", "LOOPREPORT_TIMESERIES_CONFIG"},
		 "block=truncate(loop.start_iteration,{block})",
		 "loop,block,mpi.rank," SERIES,
		 " where loop.start_iteration,loop=\"{loop}\" group by "
		 "loop,block,mpi.rank",
		 "loop,block,max(sum#loop.iterations) as Iterations unit iterations"
		 ",max(scale#time.duration.ns) as \"Time (s)\" unit sec"
		 ",avg(ratio#loop.iterations/time.duration.ns) as \"Iter/s\" unit "
		 "\"iter/s\"",
		 " group by loop,block",
		 ""},
	[SERIES_OF_ALL] = {{"LOOPREPORT_SUMMARY_LOCAL", "LOOPREPORT_SUMMARY_CONFIG"},
			   "Block=first(loop.start_iteration)",
			   "loop,Block,mpi.rank," SERIES,
			   " where loop.start_iteration group by loop,Block,mpi.rank",
			   "loop as Loop,Block," SERIES_ACROSS,
			   " group by loop,Block",
			   " order by loop,Block"},
};

enum part { LETS, LOCAL, ACROSS };

static bool is_listed(const char *list, const char *name)
{
	for (size_t length; list && *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		if (length == strlen(name) && !strncmp(list, name, length))
			return true;
	}
	return false;
}

/* Options of spot are of regions, but for those in a list. */
static bool is_on(const struct request *request, const char *option)
{
	if (request->configuration->kind & CONFIGURATION_SPOT)
		return is_listed(settings_get(&request->settings, "LOOPREPORT_METRICS"),
				 option);
	for (size_t i = 0; i < request->option_count; i++)
		if (!strcmp(request->options[i]->name, option))
			return true;
	return false;
}

/* The part of all options that are on; none comes twice. */
static void append_metrics(const struct request *request, enum part part, char *text,
			   size_t size)
{
	for (size_t i = 0; i < array_count(metrics); i++) {
		const char *const parts[] = {metrics[i].lets, metrics[i].local,
					     metrics[i].across};

		if (is_on(request, metrics[i].option) && !strstr(text, parts[part]))
			request_append(text, size, parts[part]);
	}
}

bool loop_queries_have(const char *option)
{
	for (size_t i = 0; i < array_count(metrics); i++)
		if (!strcmp(metrics[i].option, option))
			return true;
	return false;
}

const char *loop_metric_at(size_t index)
{
	return index < array_count(metrics) ? metrics[index].option : NULL;
}

static void add_table(struct request *request, const struct table *table,
		      const char *format)
{
	static char text[2 * REQUEST_TEXT_MAX]; /* one call at a time */
	static const struct clauses none;
	/* What options of spot add is of regions. */
	bool spot = request->configuration->kind & CONFIGURATION_SPOT;
	const struct clauses *local = spot ? &none : &request->local;
	const struct clauses *across = spot ? &none : &request->across;

	snprintf(text, sizeof(text), "let %s", table->lets);
	append_metrics(request, LETS, text, sizeof(text));
	request_append(text, sizeof(text), local->lets);
	request_append(text, sizeof(text), " select ");
	request_append(text, sizeof(text), table->local);
	append_metrics(request, LOCAL, text, sizeof(text));
	request_append(text, sizeof(text), local->columns);
	clauses_place(local, table->local_rest, text, sizeof(text));
	request_append(text, sizeof(text), " format cali");
	settings_add(&request->settings, table->settings[0],
		     settings_keep(text, strlen(text)));
	snprintf(text, sizeof(text), "%s%s select %s", *across->lets ? "let " : "",
		 *across->lets ? across->lets + 1 : "", table->across);
	append_metrics(request, ACROSS, text, sizeof(text));
	request_append(text, sizeof(text), across->columns);
	clauses_place(across, table->across_rest, text, sizeof(text));
	request_append(text, sizeof(text), table->order);
	request_append(text, sizeof(text), " format ");
	request_append(text, sizeof(text), format);
	settings_add(&request->settings, table->settings[1],
		     settings_keep(text, strlen(text)));
}

void loop_queries_add(struct request *request, const char *format, bool plain)
{
	struct settings *settings = &request->settings;
	bool summary = settings_is_true(settings, "LOOPREPORT_SUMMARY", true);

	if (!settings_get(settings, "LOOP_MONITOR_ITERATION_INTERVAL") &&
	    !settings_get(settings, "LOOP_MONITOR_TIME_INTERVAL"))
		settings_add(settings, "LOOP_MONITOR_TIME_INTERVAL", "0.5");
	if (plain) {
		settings_add(settings, "LOOPREPORT_PLAIN", "true");
		if (!strcmp(format, "trm")) /* the profile itself */
			return;
		add_table(request, &tables[summary ? SUMMARY : SERIES_OF_ALL], format);
		return;
	}
	add_table(request, &tables[SUMMARY], format);
	add_table(request,
		  &tables[request->configuration->kind & CONFIGURATION_SPOT
				  ? SERIES_OF_SPOT
				  : SERIES_OF_LOOP],
		  format);
}
