/*
 * A query over ranks has two steps: each rank sums up what it has by region, and what the
 * ranks have of a region is compared, in the first of them. In the second step a column
 * of the first, like sum(x), is called "sum#x".
 */
#include "runtime/config/cross_rank.h"
#include "base/array.h"
#include "runtime/config/clauses.h"
#include "runtime/config/configurations.h"

#include <stdio.h>
#include <string.h>

struct row {
	const char *name; /* of the configuration, or the option */
	const char *lets; /* NAME=EXPRESSION, of the first query; "" */
	const char *local, *across;
};

#define REGION_TIME "region.t=scale(sum#time.duration.ns,1e-9)"

#define REGION_TIMES                                                                     \
	"min(inclusive#region.t) AS \"Min time/rank\""                                   \
	",max(inclusive#region.t) AS \"Max time/rank\""                                  \
	",avg(inclusive#region.t) AS \"Avg time/rank\""                                  \
	",inclusive_percent_total(sum#region.t) AS \"Time %\""
#define BY_PATH "path", " GROUP BY path", ""
#define BY_TIME " ORDER BY \"Avg time/rank\" DESC"

/* As SPOT looks for them. */
#define OVER_RANKS(sums, which)                                                          \
	"min(" sums ") AS \"Min time/rank" which "\" UNIT sec,max(" sums                 \
	") AS \"Max time/rank" which "\" UNIT sec,avg(" sums                             \
	") AS \"Avg time/rank" which "\" UNIT sec,sum(" sums ") AS \"Total time" which   \
	"\" UNIT sec"

static const struct {
	struct row row;
	const char *keys, *rest, *order, *by_time;
} configurations[] = {
	{{"runtime-report", REGION_TIME, "sum(region.t),inclusive_sum(region.t)",
	  REGION_TIMES},
	 "path",
	 " WHERE path GROUP BY path",
	 "",
	 BY_TIME},
	{{"spot",
	  "sum#time.duration=scale(sum#time.duration.ns,1e-9)"
	  ",sum#region.count=first(sum#region.count,region.count)"
	  ",rc.count=first(sum#region.count)",
	  "inclusive_sum(sum#time.duration),scale(sum#time.duration.ns,1e-9)"
	  ",sum(rc.count),min(aggregate.slot)",
	  OVER_RANKS("inclusive#sum#time.duration", "") "," OVER_RANKS(
		  "scale#sum#time.duration.ns",
		  " (exc)") ",min(sum#rc.count) AS \"Calls/rank (min)\" UNIT count"
			    ",avg(sum#rc.count) AS \"Calls/rank (avg)\" UNIT count"
			    ",max(sum#rc.count) AS \"Calls/rank (max)\" UNIT count"
			    ",sum(sum#rc.count) AS \"Calls (total)\" UNIT count"
			    ",min(min#aggregate.slot) AS \"Node order\""},
	 "path",
	 " GROUP BY path",
	 "",
	 ""},
	{{"openmp-report", REGION_TIME,
	  "max(n.threads),inclusive_sum(t.initial),inclusive_sum(sum#time.duration)",
	  "max(max#n.threads) AS \"#Threads\""
	  ",avg(inclusive#t.initial) AS \"Time (thread) (avg)\""
	  ",sum(inclusive#sum#time.duration) AS \"Time (total)\""},
	 BY_PATH,
	 " ORDER BY \"Time (total)\" DESC"},
	{{"alloc-report", REGION_TIME,
	  "sum(sum#alloc.count),sum(sum#alloc.bytes),sum(sum#free.count)"
	  ",max(max#alloc.highwatermark),max(max#memstat.vmrss)",
	  "avg(sum#sum#alloc.count) AS \"Allocs (avg)\""
	  ",avg(sum#sum#alloc.bytes) AS \"Alloc bytes (avg)\""
	  ",avg(sum#sum#free.count) AS \"Frees (avg)\""
	  ",max(max#max#alloc.highwatermark) AS \"Most live (max)\""
	  ",max(max#max#memstat.vmrss) AS \"Most resident kB (max)\""},
	 BY_PATH,
	 ""},
	{{"io-report", REGION_TIME ",io.t=scale(sum#io.time.ns,1e-9)",
	  "sum(sum#io.opens),sum(sum#io.calls),sum(sum#io.bytes.read)"
	  ",sum(sum#io.bytes.written),sum(io.t)",
	  "sum(sum#sum#io.opens) AS \"Opens (total)\""
	  ",sum(sum#sum#io.calls) AS \"Calls (total)\""
	  ",sum(sum#sum#io.bytes.read) AS \"Total read\""
	  ",sum(sum#sum#io.bytes.written) AS \"Total written\""
	  ",min(sum#io.t) AS \"I/O time (min)\",max(sum#io.t) AS \"I/O time (max)\""
	  ",avg(sum#io.t) AS \"I/O time (avg)\""},
	 BY_PATH,
	 ""},
	{{"sample-report", REGION_TIME ",sample.t=scale(sum#sampler.samples,{period})",
	  "sum(sample.t),sum(sum#sampler.samples)",
	  "min(sum#sample.t) AS \"Min time/rank\" UNIT sec"
	  ",max(sum#sample.t) AS \"Max time/rank\" UNIT sec"
	  ",avg(sum#sample.t) AS \"Avg time/rank\" UNIT sec"
	  ",sum(sum#sample.t) AS \"Total time\" UNIT sec"
	  ",sum(sum#sum#sampler.samples) AS \"Samples (total)\""
	  ",percent_total(sum#sample.t) AS \"Time %\""},
	 BY_PATH,
	 BY_TIME},
	{{"mpi-report", REGION_TIME, "sum(region.t),sum(count#time.duration.ns)",
	  "min(sum#count#time.duration.ns) AS \"Count (min)\""
	  ",max(sum#count#time.duration.ns) AS \"Count (max)\""
	  ",min(sum#region.t) AS \"Time (min)\""
	  ",max(sum#region.t) AS \"Time (max)\""
	  ",avg(sum#region.t) AS \"Time (avg)\""
	  ",percent_total(sum#region.t) AS \"Time %\""},
	 "mpi.function AS Function",
	 " GROUP BY mpi.function",
	 " ORDER BY \"Time %\" DESC",
	 " ORDER BY \"Time %\" DESC"},
};

#define TIMES_OF(form, sign)                                                             \
	"min(" form ") AS \"Min time/rank " sign "\",max(" form                          \
	") AS \"Max time/rank " sign "\",avg(" form ") AS \"Avg time/rank " sign "\""

static const struct row options[] = {
	{"time.exclusive", "", "",
	 TIMES_OF("sum#region.t",
		  "(E)") ",percent_total(sum#region.t) AS \"Time % (E)\""},
	{"region.count", "", "sum(region.count)",
	 "min(sum#region.count) AS \"Calls/rank (min)\""
	 ",avg(sum#region.count) AS \"Calls/rank (avg)\""
	 ",max(sum#region.count) AS \"Calls/rank (max)\""
	 ",sum(sum#region.count) AS \"Calls (total)\""},
	{"region.stats", "",
	 "sum(region.count),min(min#time.inclusive.duration.ns)"
	 ",sum(sum#time.inclusive.duration.ns),max(max#time.inclusive.duration.ns)",
	 "sum(sum#region.count) AS Visits"
	 ",min(min#min#time.inclusive.duration.ns) AS \"Nsec/visit (min)\""
	 ",ratio(sum#sum#time.inclusive.duration.ns,sum#region.count)"
	 " AS \"Nsec/visit (avg)\""
	 ",max(max#max#time.inclusive.duration.ns) AS \"Nsec/visit (max)\""},
	{"alloc.stats", "",
	 "max(max#alloc.highwatermark),max(max#alloc.live),sum(sum#alloc.count)"
	 ",sum(sum#alloc.bytes)",
	 "max(max#max#alloc.highwatermark) AS \"Mem HWM\""
	 ",max(max#max#alloc.live) AS \"Alloc tMax\""
	 ",sum(sum#sum#alloc.count) AS \"Alloc count\""
	 ",ratio(sum#sum#alloc.bytes,sum#sum#alloc.count) AS \"Avg Bytes/alloc\""},
	{"time.variance", "", "",
	 "variance(inclusive#sum#time.duration) AS \"Variance time/rank\""},
	{"order_as_visited", "", "min(aggregate.slot)", ""},
	{"node.order", "", "min(aggregate.slot)",
	 "min(min#aggregate.slot) AS \"Node order\""},
	{"page.faults", "", "sum(sum#rusage.minflt),sum(sum#rusage.majflt)",
	 "max(sum#sum#rusage.minflt) AS \"Minor faults (max)\""
	 ",max(sum#sum#rusage.majflt) AS \"Major faults (max)\""},
	{"io.bytes", "", "sum(sum#io.bytes.read),sum(sum#io.bytes.written)",
	 "avg(sum#sum#io.bytes.read) AS \"Avg read\""
	 ",sum(sum#sum#io.bytes.read) AS \"Total read\""
	 ",avg(sum#sum#io.bytes.written) AS \"Avg written\""
	 ",sum(sum#sum#io.bytes.written) AS \"Total written\""},
	{"io.bytes.read", "", "sum(sum#io.bytes.read)",
	 "avg(sum#sum#io.bytes.read) AS \"Avg read\""
	 ",sum(sum#sum#io.bytes.read) AS \"Total read\""},
	{"io.bytes.written", "", "sum(sum#io.bytes.written)",
	 "avg(sum#sum#io.bytes.written) AS \"Avg written\""
	 ",sum(sum#sum#io.bytes.written) AS \"Total written\""},
	{"lock.wait", "lock.t=scale(sum#pthread.wait.ns,1e-9)", "sum(lock.t)",
	 "avg(sum#lock.t) AS \"Lock wait (avg)\",max(sum#lock.t) AS \"Lock wait (max)\""},
	{"lock.hold", "hold.t=scale(sum#pthread.hold.ns,1e-9)", "sum(hold.t)",
	 "avg(sum#hold.t) AS \"Lock hold (avg)\",max(sum#hold.t) AS \"Lock hold (max)\""},
	{"thread.starts", "", "sum(sum#pthread.threads)",
	 "sum(sum#sum#pthread.threads) AS \"Threads (total)\""},
	{"syscalls", "syscalls.t=scale(sum#syscalls.time.ns,1e-9)",
	 "sum(sum#syscalls.calls),sum(syscalls.t)",
	 "sum(sum#sum#syscalls.calls) AS \"System calls (total)\""
	 ",avg(sum#syscalls.t) AS \"System time (avg)\""
	 ",max(sum#syscalls.t) AS \"System time (max)\""},
	{"sample.frequency", "", "sum(sum#sampler.samples)",
	 "min(sum#sum#sampler.samples) AS \"Samples (min)\""
	 ",max(sum#sum#sampler.samples) AS \"Samples (max)\""},
	{"mpi.message.count", "",
	 "sum(count#mpi.bytes.sent),sum(count#mpi.bytes.received)"
	 ",sum(count#mpi.bytes.collective)",
	 "avg(sum#count#mpi.bytes.sent) AS \"Msgs sent (avg)\""
	 ",max(sum#count#mpi.bytes.sent) AS \"Msgs sent (max)\""
	 ",avg(sum#count#mpi.bytes.received) AS \"Msgs recvd (avg)\""
	 ",max(sum#count#mpi.bytes.received) AS \"Msgs recvd (max)\""
	 ",max(sum#count#mpi.bytes.collective) AS \"Collectives (max)\""},
	{"mpi.message.size",
	 "size.min=first(min#mpi.bytes.sent,min#mpi.bytes.received"
	 ",min#mpi.bytes.collective)"
	 ",size.sum=first(sum#mpi.bytes.sent,sum#mpi.bytes.received"
	 ",sum#mpi.bytes.collective)"
	 ",size.count=first(count#mpi.bytes.sent,count#mpi.bytes.received"
	 ",count#mpi.bytes.collective)"
	 ",size.max=first(max#mpi.bytes.sent,max#mpi.bytes.received"
	 ",max#mpi.bytes.collective)",
	 "min(size.min),sum(size.sum),sum(size.count),max(size.max)",
	 "min(min#size.min) AS \"Msg size (min)\""
	 ",ratio(sum#size.sum,sum#size.count) AS \"Msg size (avg)\""
	 ",max(max#size.max) AS \"Msg size (max)\""},
};

/* Profiles have a row for each region of each rank. */
bool cross_rank_has(const struct configuration *configuration)
{
	if (configuration->kind & (CONFIGURATION_PROFILE | CONFIGURATION_LOOPS))
		return true;
	for (size_t i = 0; i < array_count(configurations); i++)
		if (!strcmp(configurations[i].row.name, configuration->name))
			return true;
	return false;
}

static const struct row *option_of(const char *name)
{
	for (size_t i = 0; i < array_count(options); i++)
		if (!strcmp(options[i].name, name))
			return &options[i];
	return NULL;
}

static void append_text(char *text, size_t size, const char *before, const char *more)
{
	size_t used = strlen(text);

	if (*more && used < size)
		snprintf(text + used, size - used, "%s%s", before, more);
}

static void make_profile(const struct across_wish *wish, char *across, size_t size)
{
	const struct clauses *own = wish->own_local;

	if (*own->lets)
		append_text(across, size, "LET ", own->lets + 1);
	append_text(across, size, " SELECT ", "path, mpi.rank");
	append_text(across, size, "", wish->columns);
	append_text(across, size, "", own->columns);
	clauses_place(own, " GROUP BY path, mpi.rank", across, size);
	if (*own->order)
		append_text(across, size, " ORDER BY ", own->order + 1);
	append_text(across, size, " FORMAT ", wish->format);
}

static bool is_twice(const struct across_wish *wish, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (wish->options[i] == wish->options[index])
			return true;
	return false;
}

/* Columns that spot has always. */
static bool has_anyway(const struct across_wish *wish, const char *option)
{
	return wish->configuration->kind & CONFIGURATION_SPOT &&
	       (!strcmp(option, "region.count") || !strcmp(option, "time.exclusive") ||
		!strcmp(option, "node.order"));
}

/* Columns with commas between, but those that are there already. */
static void append_columns(char *text, size_t size, const char *columns)
{
	for (size_t length; *columns; columns += length + (columns[length] == ',')) {
		const char *known = text;
		char column[128];

		length = strcspn(columns, ",");
		snprintf(column, sizeof(column), ",%.*s", (int)length, columns);
		while ((known = strstr(known, column)) && known[length + 1] &&
		       known[length + 1] != ',')
			known++;
		if (!known)
			append_text(text, size, "", column);
	}
}

enum part { LETS, LOCAL, ACROSS };

/* The part of all options that are on, with commas in front. */
static void append_options(const struct across_wish *wish, enum part part, char *text,
			   size_t size)
{
	for (size_t i = 0; i < wish->option_count; i++) {
		const struct row *row = option_of(wish->options[i]->name);
		const char *const parts[] = {row ? row->lets : "", row ? row->local : "",
					     row ? row->across : ""};

		if (is_twice(wish, i) || has_anyway(wish, wish->options[i]->name))
			continue;
		if (part == LOCAL)
			append_columns(text, size, parts[part]);
		else
			append_text(text, size, ",", parts[part]);
	}
}

/* The columns of the configuration, behind what tells its rows apart. */
static void append_first(const struct across_wish *wish, const char *keys,
			 const char *columns, char *text, size_t size)
{
	append_text(text, size, " SELECT ", wish->without_regions ? "" : keys);
	append_text(text, size, wish->without_regions ? " SELECT " : ",", columns);
}

void cross_rank_make(const struct across_wish *wish, char *local, char *across,
		     size_t size)
{
	const char *rest;
	size_t at = 0;

	local[0] = across[0] = '\0';
	if (wish->configuration->kind == CONFIGURATION_PROFILE) {
		make_profile(wish, across, size);
		return;
	}
	while (strcmp(configurations[at].row.name, wish->configuration->name) != 0)
		at++;
	rest = wish->without_regions ? "" : configurations[at].rest;
	append_text(local, size, "LET ", configurations[at].row.lets);
	append_options(wish, LETS, local, size);
	append_text(local, size, "", wish->own_local->lets);
	append_first(wish, configurations[at].keys, configurations[at].row.local, local,
		     size);
	append_options(wish, LOCAL, local, size);
	append_text(local, size, "", wish->own_local->columns);
	clauses_place(wish->own_local, rest, local, size);
	append_text(local, size, "", " FORMAT cali");
	if (*wish->own_across->lets)
		append_text(across, size, "LET ", wish->own_across->lets + 1);
	append_first(wish, configurations[at].keys, configurations[at].row.across, across,
		     size);
	append_options(wish, ACROSS, across, size);
	append_text(across, size, "", wish->own_across->columns);
	clauses_place(wish->own_across,
		      wish->configuration->kind & CONFIGURATION_SPOT ? " GROUP BY path"
								     : rest,
		      across, size);
	if (*wish->own_across->order)
		append_text(across, size, " ORDER BY ", wish->own_across->order + 1);
	else
		append_text(across, size, "",
			    wish->by_time ? configurations[at].by_time
					  : configurations[at].order);
	append_text(across, size, " FORMAT ", wish->format);
}
