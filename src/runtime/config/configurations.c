#include "runtime/config/configurations.h"

#include "base/array.h"

#include <string.h>

#define TIMES                                                                            \
	", scale(sum#time.duration.ns, 1e-9) AS \"Time (E)\""                            \
	", inclusive_scale(sum#time.duration.ns, 1e-9) AS \"Time (I)\""                  \
	", percent_total(sum#time.duration.ns) AS \"Time % (E)\""                        \
	", inclusive_percent_total(sum#time.duration.ns) AS \"Time % (I)\""

/* What readers of profiles look for: the exclusive time. */
#define PROFILE_TIMES ", sum(sum#time.duration) AS time UNIT sec"

#define SAMPLES(count, time)                                                             \
	", sum(sum#sampler.samples) AS " count                                           \
	", scale(sum#sampler.samples, {period}) AS " time " UNIT sec"

static const struct configuration configurations[] = {
	{"runtime-report", NULL, "time of each region, as a tree", CONFIGURATION_REPORT,
	 "event,timer,aggregate,report", TIMES, " WHERE path GROUP BY path", "", "tree",
	 "stderr", "output.append"},
	{"runtime-profile", "hatchet-region-profile",
	 "time of each region, for Hatchet and others", CONFIGURATION_PROFILE,
	 "event,timer,aggregate,environment,recorder", PROFILE_TIMES, " GROUP BY path",
	 "", "cali", "region_profile", "node.order"},
	{"event-trace", NULL, "each begin and end with its time", CONFIGURATION_TRACE,
	 "event,async_event,timer,trace,environment,recorder", NULL, "", "", NULL,
	 "%program%-%pid%.cali", ""},
	{"loop-report", NULL, "loops: iterations and time, and both as they go on",
	 CONFIGURATION_LOOPS, "loop_monitor,timer,trace,loopreport", "", "", "", "table",
	 "stdout", ""},
	{"spot", NULL, "regions and loops, for the visualisation SPOT",
	 CONFIGURATION_PROFILE | CONFIGURATION_SPOT,
	 "event,timer,aggregate,environment,loopreport", "", "", "", "cali",
	 "%program%-%pid%.cali", ""},
	{"alloc-report", "memory-report", "memory that each region took from the heap",
	 CONFIGURATION_REPORT, "event,aggregate,alloc,memstat,report",
	 ", sum(sum#alloc.count) AS Allocs, sum(sum#alloc.bytes) AS \"Alloc bytes\""
	 ", sum(sum#free.count) AS Frees, max(max#alloc.highwatermark) AS \"Most live\""
	 ", max(max#memstat.vmrss) AS \"Most resident kB\"",
	 " GROUP BY path", "", "tree", "stderr", "output.append"},
	{"io-report", NULL, "bytes that each region read and wrote", CONFIGURATION_REPORT,
	 "event,timer,aggregate,io,report",
	 ", sum(sum#io.opens) AS Opens"
	 ", sum(sum#io.calls) AS Calls, sum(sum#io.bytes.read) AS Read"
	 ", sum(sum#io.bytes.written) AS Written"
	 ", scale(sum#io.time.ns, 1e-9) AS \"I/O time\"",
	 " GROUP BY path", "", "tree", "stderr", "output.append"},
	{"openmp-report", NULL, "time in parallel regions, loops, tasks and barriers",
	 CONFIGURATION_REPORT | CONFIGURATION_OPENMP,
	 "event,timer,aggregate,openmp,report",
	 ", max(n.threads) AS \"#Threads\""
	 ", inclusive_sum(t.initial) AS \"Time (thread)\""
	 ", inclusive_sum(sum#time.duration) AS \"Time (total)\"",
	 " GROUP BY path", "", "tree", "stderr",
	 "openmp.times,openmp.efficiency,output.append"},
	{"mpi-report", NULL, "time in MPI functions, over all ranks",
	 CONFIGURATION_REPORT, "event,timer,aggregate,mpi,report",
	 ", sum(count#time.duration.ns) AS Count" TIMES, " GROUP BY path", "", "table",
	 "stdout", "output.append"},
	{"sample-report", NULL, "processor time of each function, by samples",
	 CONFIGURATION_REPORT, "event,aggregate,sampler,report",
	 SAMPLES("Samples", "\"Time (sec)\""), " GROUP BY path", "", "tree", "stderr",
	 "source.function,output.append,sample.frequency=200"},
	{"sample-profile", "hatchet-sample-profile",
	 "samples of each function, for Hatchet and others", CONFIGURATION_PROFILE,
	 "event,aggregate,sampler,environment,recorder", SAMPLES("count", "time"),
	 " GROUP BY path", "", "cali", "sample_profile",
	 "source.function,source.module,sample.frequency=200"},
};

static const struct configuration_option options[] = {
	{"output", "where to: stdout, stderr or a file", CONFIGURATION_ALL, true, NULL,
	 NULL, NULL},
	{"output.append", "add to the file", CONFIGURATION_ALL, false, NULL,
	 "REPORT_APPEND={}", NULL},
	{"output.format",
	 "json-split, json, cali, trm, table, tree, csv, html; of traces trace-event",
	 CONFIGURATION_ALL, true, NULL, NULL, NULL},
	{"max_column_width", "the width of columns in trees and tables; 0: any",
	 CONFIGURATION_REPORT | CONFIGURATION_LOOPS, true, NULL, NULL, NULL},
	{"print.metadata", "globals of the run before trees and tables",
	 CONFIGURATION_REPORT | CONFIGURATION_LOOPS, false, NULL, NULL, NULL},
	{"outdir", "the folder of files", CONFIGURATION_EVENTS, true, NULL,
	 "RECORDER_DIRECTORY={}", NULL},
	{"level", "regions of this level and coarser ones: 0 to 7, or phase",
	 CONFIGURATION_EVENTS, true, NULL, "EVENT_REGION_LEVEL={}", NULL},
	{"include_regions", "only these", CONFIGURATION_EVENTS, true, NULL,
	 "EVENT_INCLUDE_REGIONS={}", NULL},
	{"exclude_regions", "not these", CONFIGURATION_EVENTS, true, NULL,
	 "EVENT_EXCLUDE_REGIONS={}", NULL},
	{"include_branches", "only what is in these", CONFIGURATION_EVENTS, true, NULL,
	 "EVENT_INCLUDE_BRANCHES={}", NULL},
	{"calc.inclusive", "inclusive times", CONFIGURATION_PROFILE, false, NULL, NULL,
	 ", inclusive_scale(sum#time.duration.ns, 1e-9) AS \"time (inc)\" UNIT sec"},
	{"calc.inclusive", "nothing: reports have inclusive times always",
	 CONFIGURATION_REPORT, false, NULL, NULL, NULL},
	{"region.count", "how often each region was entered", CONFIGURATION_METRICS,
	 false, NULL, NULL, ", sum(region.count) AS Calls"},
	{"region.stats", "least, mean and most time of an entry", CONFIGURATION_METRICS,
	 false, NULL, "TIMER_INCLUSIVE_DURATION={}",
	 ", sum(region.count) AS Visits"
	 ", min(min#time.inclusive.duration.ns) AS \"Nsec/visit (min)\""
	 ", avg(time.inclusive.duration.ns) AS \"Nsec/visit (avg)\""
	 ", max(max#time.inclusive.duration.ns) AS \"Nsec/visit (max)\""},
	{"time.inclusive", "time from begin to end", CONFIGURATION_EVENTS, false, NULL,
	 "TIMER_INCLUSIVE_DURATION={}", NULL},
	{"time.exclusive", "time outside of regions further in", CONFIGURATION_EVENTS,
	 false, "timer", NULL, NULL},
	{"loop.stats", "iterations of loops, and their times", CONFIGURATION_METRICS,
	 false, "loop_statistics", NULL, NULL},
	{"async_events", "what begins in one place and ends in another, and its times",
	 CONFIGURATION_METRICS, false, "async_event", NULL, NULL},
	{"mem.highwatermark", "most live memory of the heap", CONFIGURATION_METRICS,
	 false, "alloc", NULL, NULL},
	{"alloc.stats", "allocations of the heap", CONFIGURATION_METRICS, false, "alloc",
	 NULL,
	 ", max(max#alloc.highwatermark) AS \"Mem HWM\""
	 ", max(max#alloc.live) AS \"Alloc tMax\""
	 ", sum(sum#alloc.count) AS \"Alloc count\""
	 ", ratio(sum#alloc.bytes, sum#alloc.count) AS \"Avg Bytes/alloc\""},
	{"mem.pages", "pages of memory, from /proc", CONFIGURATION_METRICS, false,
	 "memstat", NULL, NULL},
	{"page.faults", "page faults, and time in the kernel", CONFIGURATION_METRICS,
	 false, "rusage", NULL,
	 ", sum(sum#rusage.minflt) AS \"Minor faults\""
	 ", sum(sum#rusage.majflt) AS \"Major faults\""},
	{"io.bytes", "bytes read and written", CONFIGURATION_METRICS, false, "io", NULL,
	 ", sum(sum#io.bytes.read) AS \"Bytes read\""
	 ", sum(sum#io.bytes.written) AS \"Bytes written\""},
	{"io.bytes.read", "bytes read", CONFIGURATION_METRICS, false, "io", NULL,
	 ", sum(sum#io.bytes.read) AS \"Bytes read\""},
	{"io.bytes.written", "bytes written", CONFIGURATION_METRICS, false, "io", NULL,
	 ", sum(sum#io.bytes.written) AS \"Bytes written\""},
	{"io.read.bandwidth", "bytes read, and how fast", CONFIGURATION_METRICS, false,
	 "io", NULL, NULL},
	{"io.write.bandwidth", "bytes written, and how fast", CONFIGURATION_METRICS,
	 false, "io", NULL, NULL},
	{"lock.wait", "time that threads waited for mutexes",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE, false, "pthread", NULL,
	 ", scale(sum#pthread.wait.ns, 1e-9) AS \"Lock wait\""},
	{"lock.hold", "time that threads held mutexes",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE, false, "pthread", NULL,
	 ", scale(sum#pthread.hold.ns, 1e-9) AS \"Lock hold\""},
	{"thread.starts", "threads that were started",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE, false, "pthread", NULL,
	 ", sum(sum#pthread.threads) AS Threads"},
	{"syscalls", "system calls, and time in them",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE, false, "syscalls", NULL,
	 ", sum(sum#syscalls.calls) AS \"System calls\""
	 ", scale(sum#syscalls.time.ns, 1e-9) AS \"System time\""},
	{"aggregate_across_ranks", "one report of all ranks, as MPI programs have",
	 CONFIGURATION_REPORT | CONFIGURATION_LOOPS, false, NULL, NULL, NULL},
	{"use.mpi", "one file of all ranks, as MPI programs have", CONFIGURATION_PROFILE,
	 false, NULL, NULL, NULL},
	{"profile.mpi", "calls of MPI functions are regions",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE, false, "mpi", NULL, NULL},
	{"mpi.include", "only these functions of MPI",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE, true, NULL, "MPI_WHITELIST={}",
	 NULL},
	{"mpi.exclude", "not these functions of MPI",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE, true, NULL, "MPI_BLACKLIST={}",
	 NULL},
	{"mpi.message.count", "messages, and collective operations, of MPI",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE, false, "mpi", "MPI_MSG_TRACING={}",
	 ", sum(count#mpi.bytes.sent) AS \"Msgs sent\""
	 ", sum(count#mpi.bytes.received) AS \"Msgs recvd\""
	 ", sum(count#mpi.bytes.collective) AS Collectives"},
	{"mpi.message.size", "bytes of messages of MPI",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE, false, "mpi", "MPI_MSG_TRACING={}",
	 ", sum(sum#mpi.bytes.sent) AS \"Bytes sent\""
	 ", sum(sum#mpi.bytes.received) AS \"Bytes recvd\""
	 ", sum(sum#mpi.bytes.collective) AS \"Bytes collective\""},
	{"comm.stats", "messages of MPI in regions of communication",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE, false, "async_event,mpi",
	 "MPI_MSG_PATTERN={}", NULL},
	{"sample.clock", "wall: samples of all time; cpu: of processor time",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE | CONFIGURATION_TRACE, true, NULL,
	 "SAMPLER_CLOCK={}", NULL},
	{"sample.frequency", "samples a second",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE | CONFIGURATION_TRACE, true,
	 "sampler", "SAMPLER_FREQUENCY={}", ", sum(sum#sampler.samples) AS Samples"},
	{"callpath", "functions that were being called, below regions",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE | CONFIGURATION_TRACE, false,
	 "callpath,symbollookup", NULL, NULL},
	{"source.function", "functions that samples were in",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE | CONFIGURATION_TRACE, false,
	 "symbollookup", "SYMBOLLOOKUP_LOOKUP_FUNCTIONS={}", NULL},
	{"source.location", "lines that samples were in, or of call paths",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE | CONFIGURATION_TRACE, false,
	 "symbollookup", "SYMBOLLOOKUP_LOOKUP_SOURCELOC={}", NULL},
	{"source.module", "modules that samples were in, or of call paths",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE | CONFIGURATION_TRACE, false,
	 "symbollookup", "SYMBOLLOOKUP_LOOKUP_MODULE={}", NULL},
	{"source.inlines", "with callpath: functions that were put into others",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE | CONFIGURATION_TRACE, false, NULL,
	 "SYMBOLLOOKUP_LOOKUP_INLINES={}", NULL},
	{"stopped", "begins stopped, until 'trammel channel start'",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE | CONFIGURATION_TRACE, false, NULL,
	 "CHANNEL_STOPPED={}", NULL},
	{"main_thread_only", "what the main thread does",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE, false, NULL,
	 "CHANNEL_MAIN_THREAD={}", NULL},
	{"order_as_visited", "regions in the order in which they came up",
	 CONFIGURATION_REPORT, false, NULL, "AGGREGATE_SLOT={}", NULL},
	{"node.order", "the order in which regions came up", CONFIGURATION_METRICS, false,
	 NULL, "AGGREGATE_SLOT={}", ", min(aggregate.slot) AS \"Node order\""},
	{"openmp.times", "time in OpenMP's work and barriers",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE, false, "openmp", NULL, NULL},
	{"openmp.efficiency", "shares of OpenMP's work and barriers",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE, false, "openmp", NULL, NULL},
	{"openmp.threads", "each thread by itself",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE, false, "openmp", NULL, NULL},
	{"show_threads", "each thread by itself", CONFIGURATION_OPENMP, false, NULL, NULL,
	 NULL},
	{"show_thread_type", "the initial thread and workers", CONFIGURATION_OPENMP,
	 false, NULL, NULL, NULL},
	{"show_regions", "by region; false: all in one", CONFIGURATION_OPENMP, false,
	 NULL, NULL, NULL},
	{"order_by_time", "the longest regions first", CONFIGURATION_REPORT, false, NULL,
	 NULL, NULL},
	{"local_query", "what is added to the query of a process",
	 CONFIGURATION_REPORT | CONFIGURATION_PROFILE | CONFIGURATION_LOOPS, true, NULL,
	 NULL, NULL},
	{"cross_query", "what is added to the query over all ranks",
	 CONFIGURATION_METRICS | CONFIGURATION_SPOT, true, NULL, NULL, NULL},
	{"summary", "the table of all loops", CONFIGURATION_LOOPS, false, NULL,
	 "LOOPREPORT_SUMMARY={}", NULL},
	{"timeseries", "a table of each loop, with blocks of iterations",
	 CONFIGURATION_LOOPS | CONFIGURATION_SPOT, false, NULL,
	 "LOOPREPORT_TIMESERIES={}", NULL},
	{"timeseries.maxrows", "rows of such a table, about (20); 0: any number",
	 CONFIGURATION_LOOPS | CONFIGURATION_SPOT, true, NULL, "LOOPREPORT_MAXROWS={}",
	 NULL},
	{"timeseries.iteration_interval", "iterations from one measurement to the next",
	 CONFIGURATION_SPOT, true, NULL, "LOOP_MONITOR_ITERATION_INTERVAL={}", NULL},
	{"timeseries.time_interval", "the same in seconds (0.5)", CONFIGURATION_SPOT,
	 true, NULL, "LOOP_MONITOR_TIME_INTERVAL={}", NULL},
	{"timeseries.metrics", "metrics of time series: mem.highwatermark and others",
	 CONFIGURATION_SPOT, true, NULL, "LOOPREPORT_METRICS={}", NULL},
	{"time.variance", "how times differ between ranks", CONFIGURATION_SPOT, false,
	 NULL, NULL, NULL},
	{"timeseries.target_loops", "these loops; else the outermost ones",
	 CONFIGURATION_SPOT, true, NULL, "LOOP_MONITOR_TARGET_LOOPS={}", NULL},
	{"iteration_interval", "iterations from one measurement to the next",
	 CONFIGURATION_LOOPS, true, NULL, "LOOP_MONITOR_ITERATION_INTERVAL={}", NULL},
	{"time_interval", "the same in seconds (0.5)", CONFIGURATION_LOOPS, true, NULL,
	 "LOOP_MONITOR_TIME_INTERVAL={}", NULL},
	{"target_loops", "these loops; else the outermost ones", CONFIGURATION_LOOPS,
	 true, NULL, "LOOP_MONITOR_TARGET_LOOPS={}", NULL},
	{"trace.io", "bytes that are read and written", CONFIGURATION_TRACE, false, "io",
	 NULL, NULL},
	{"trace.mpi", "calls of MPI functions", CONFIGURATION_TRACE, false, "mpi", NULL,
	 NULL},
	{"trace.openmp", "what OpenMP does", CONFIGURATION_TRACE, false, "openmp", NULL,
	 NULL},
	{"sampling", "samples with the functions that were being called",
	 CONFIGURATION_TRACE, false, "sampler,callpath,symbollookup", NULL, NULL},
	{"papi.counters", "what the processor and the kernel count", CONFIGURATION_TRACE,
	 true, "perf", "PERF_EVENTS={}", NULL},
	{"trace.policy", "grow, stop, drop-oldest or flush", CONFIGURATION_TRACE, true,
	 NULL, "TRACE_BUFFER_POLICY={}", NULL},
	{"trace.size", "megabytes a thread, for all but grow", CONFIGURATION_TRACE, true,
	 NULL, "TRACE_BUFFER_SIZE={}", NULL},
};

/* Memory is told in units of 1024 bytes, of which a page has four (x86-64). */
#define PAGES(name) "mem." name "=max#memstat." name "/4"
#define SPEED(of, column)                                                                \
	"select sum(sum#io.bytes." of ") as \"Bytes " column "\" unit Byte,"             \
	"ratio(sum#io.bytes." of ",sum#io.time.ns,8e3) as \""

#define OMP_TIME(name, kind) name "=scale(sum#time.duration.ns,1e-9) if omp." kind

#define OF_SAMPLES(of, name)                                                             \
	"select " of "#cali.sampler.pc as " name " group by " of "#cali.sampler.pc"

static const struct {
	const char *option, *clauses;
} places[] = {
	{"source.function", OF_SAMPLES("source.function", "Function")},
	{"source.location", OF_SAMPLES("sourceloc", "Source")},
	{"source.module", OF_SAMPLES("module", "Module")},
};

static const struct configuration_clauses clauses[] = {
	{"runtime-profile", "let sum#time.duration=scale(sum#time.duration.ns,1e-9)", ""},
	{"main_thread_only", "where pthread.is_master=true", ""},
	{"order_as_visited", "order by min(aggregate.slot)",
	 "order by min(min#aggregate.slot)"},
	{"openmp-report",
	 "let sum#time.duration=scale(sum#time.duration.ns,1e-9)"
	 ",n.threads=first(omp.num.threads)"
	 ",t.initial=first(sum#time.duration) if omp.thread.type=initial",
	 ""},
	{"show_threads", "select omp.thread.id as Thread group by omp.thread.id",
	 "select omp.thread.id as Thread group by omp.thread.id"},
	{"show_thread_type", "select omp.thread.type as Type group by omp.thread.type",
	 "select omp.thread.type as Type group by omp.thread.type"},
	{"openmp.threads",
	 "let n.omp.threads=first(omp.num.threads) "
	 "select max(n.omp.threads) as \"#Threads\",omp.thread.id as Thread "
	 "group by omp.thread.id,omp.thread.type",
	 "select max(max#n.omp.threads) as \"#Threads\",omp.thread.id as Thread "
	 "group by omp.thread.id,omp.thread.type"},
	{"openmp.times",
	 "let " OMP_TIME("t.omp.work", "work") "," OMP_TIME(
		 "t.omp.sync",
		 "sync") " select sum(t.omp.work) as \"Time (work)\" unit sec"
			 ",sum(t.omp.sync) as \"Time (barrier)\" unit sec",
	 "select avg(sum#t.omp.work) as \"Time (work) (avg)\" unit sec"
	 ",avg(sum#t.omp.sync) as \"Time (barrier) (avg)\" unit sec"
	 ",sum(sum#t.omp.work) as \"Time (work) (total)\" unit sec"
	 ",sum(sum#t.omp.sync) as \"Time (barrier) (total)\" unit sec"},
	{"openmp.efficiency",
	 "let " OMP_TIME("e.omp.work", "work") "," OMP_TIME(
		 "e.omp.sync",
		 "sync") ",e.omp.total=first(e.omp.work,e.omp.sync) "
			 "select inclusive_ratio(e.omp.work,e.omp.total,100.0)"
			 " as \"Work %\" unit percent,"
			 "inclusive_ratio(e.omp.sync,e.omp.total,100.0)"
			 " as \"Barrier %\" unit percent",
	 "select min(iratio#e.omp.work/e.omp.total) as \"Work % (min)\" unit percent"
	 ",avg(iratio#e.omp.work/e.omp.total) as \"Work % (avg)\" unit percent"
	 ",avg(iratio#e.omp.sync/e.omp.total) as \"Barrier % (avg)\" unit percent"
	 ",max(iratio#e.omp.sync/e.omp.total) as \"Barrier % (max)\" unit percent"},
	{"comm.stats",
	 "let cs.irecv_gap.min=scale(min#event.duration.ns,1e-9) if "
	 "async.end=irecv.req_wait_gap"
	 ",cs.irecv_gap.max=scale(max#event.duration.ns,1e-9) if "
	 "async.end=irecv.req_wait_gap"
	 ",cs.irecv_gap.avg=scale(avg#event.duration.ns,1e-9) if "
	 "async.end=irecv.req_wait_gap"
	 " select min(min#total.send.count) as \"Sends (min)\""
	 ",max(max#total.send.count) as \"Sends (max)\""
	 ",sum(sum#total.send.count) as \"Sends (total)\""
	 ",min(min#total.recv.count) as \"Recvs (min)\""
	 ",max(max#total.recv.count) as \"Recvs (max)\""
	 ",sum(sum#total.recv.count) as \"Recvs (total)\""
	 ",min(min#total.dest.ranks) as \"Dst ranks (min)\""
	 ",max(max#total.dest.ranks) as \"Dst ranks (max)\""
	 ",avg(avg#total.dest.ranks) as \"Dst ranks (avg)\""
	 ",min(min#total.src.ranks) as \"Src ranks (min)\""
	 ",max(max#total.src.ranks) as \"Src ranks (max)\""
	 ",avg(avg#total.src.ranks) as \"Src ranks (avg)\""
	 ",max(max#total.coll.count) as \"Collectives (max)\""
	 ",min(min#mpi.send.size) as \"Bytes sent (min)\""
	 ",max(max#mpi.send.size) as \"Bytes sent (max)\""
	 ",sum(sum#mpi.send.size) as \"Bytes sent (total)\""
	 ",min(min#mpi.recv.size) as \"Bytes recv (min)\""
	 ",max(max#mpi.recv.size) as \"Bytes recv (max)\""
	 ",sum(sum#mpi.recv.size) as \"Bytes recv (total)\""
	 ",min(cs.irecv_gap.min) as \"Irecv gap (min)\""
	 ",avg(cs.irecv_gap.avg) as \"Irecv gap (avg)\""
	 ",max(cs.irecv_gap.max) as \"Irecv gap (max)\"",
	 "select min(min#min#total.send.count) as \"Sends (min)\""
	 ",max(max#max#total.send.count) as \"Sends (max)\""
	 ",sum(sum#sum#total.send.count) as \"Sends (total)\""
	 ",min(min#min#total.recv.count) as \"Recvs (min)\""
	 ",max(max#max#total.recv.count) as \"Recvs (max)\""
	 ",sum(sum#sum#total.recv.count) as \"Recvs (total)\""
	 ",min(min#min#total.dest.ranks) as \"Dst ranks (min)\""
	 ",max(max#max#total.dest.ranks) as \"Dst ranks (max)\""
	 ",avg(avg#avg#total.dest.ranks) as \"Dst ranks (avg)\""
	 ",min(min#min#total.src.ranks) as \"Src ranks (min)\""
	 ",max(max#max#total.src.ranks) as \"Src ranks (max)\""
	 ",avg(avg#avg#total.src.ranks) as \"Src ranks (avg)\""
	 ",max(max#max#total.coll.count) as \"Coll (max)\""
	 ",min(min#min#mpi.send.size) as \"Bytes sent (min)\""
	 ",max(max#max#mpi.send.size) as \"Bytes sent (max)\""
	 ",sum(sum#sum#mpi.send.size) as \"Bytes sent (total)\""
	 ",min(min#min#mpi.recv.size) as \"Bytes recv (min)\""
	 ",max(max#max#mpi.recv.size) as \"Bytes recv (max)\""
	 ",sum(sum#sum#mpi.recv.size) as \"Bytes recv (total)\""
	 ",min(min#cs.irecv_gap.min) as \"Irecv gap (min)\""
	 ",avg(avg#cs.irecv_gap.avg) as \"Irecv gap (avg)\""
	 ",max(max#cs.irecv_gap.max) as \"Irecv gap (max)\""},
	{"loop.stats",
	 "let ls.min=scale(min#iter.duration.ns,1e-9)"
	 ",ls.avg=scale(avg#iter.duration.ns,1e-9)"
	 ",ls.max=scale(max#iter.duration.ns,1e-9) "
	 "select max(max#iter.count) as Iterations unit count"
	 ",min(ls.min) as \"Time/iter (min)\" unit sec"
	 ",avg(ls.avg) as \"Time/iter (avg)\" unit sec"
	 ",max(ls.max) as \"Time/iter (max)\" unit sec",
	 "select max(max#max#iter.count) as Iterations unit count"
	 ",min(min#ls.min) as \"Time/iter (min)\" unit sec"
	 ",avg(avg#ls.avg) as \"Time/iter (avg)\" unit sec"
	 ",max(max#ls.max) as \"Time/iter (max)\" unit sec"},
	{"async_events",
	 "let as.count=first(count#event.duration.ns) if async.end"
	 ",as.min=scale(min#event.duration.ns,1e-9)"
	 ",as.avg=scale(avg#event.duration.ns,1e-9)"
	 ",as.max=scale(max#event.duration.ns,1e-9) "
	 "select async.end as Event,sum(as.count) as Count"
	 ",min(as.min) as \"Event time (min)\",avg(as.avg) as \"Event "
	 "time (avg)\""
	 ",max(as.max) as \"Event time (max)\" group by async.end",
	 "select async.end as Event,sum(sum#as.count) as Count"
	 ",min(min#as.min) as \"Event time (min)\""
	 ",avg(avg#as.avg) as \"Event time (avg)\""
	 ",max(max#as.max) as \"Event time (max)\" group by async.end"},
	{"alloc.stats",
	 "let alloc.size=first(max#alloc.largest) if max#alloc.largest>0 "
	 "select max(alloc.size) as \"Max Bytes/alloc\"",
	 "select max(max#alloc.size) as \"Max Bytes/alloc\""},
	{"mem.highwatermark",
	 "let mhwm=scale(max#alloc.highwatermark,1e-6) "
	 "select max(mhwm) as \"Mem HWM MB\" unit MB",
	 "select max(max#mhwm) as \"Mem HWM MB\" unit MB"},
	{"mem.pages",
	 "let " PAGES("vmsize") "," PAGES("vmrss") "," PAGES(
		 "data") " "
			 "select max(mem.vmsize) as VmSize unit pages,max(mem.vmrss) as "
			 "VmRSS unit pages"
			 ",max(mem.data) as Data unit pages",
	 "select max(max#mem.vmsize) as VmSize unit pages"
	 ",max(max#mem.vmrss) as VmRSS unit pages,max(max#mem.data) as Data unit pages"},
	{"io.read.bandwidth", SPEED("read", "read") "Read Mbit/s\" unit Mb/s",
	 "select avg(sum#sum#io.bytes.read) as \"Avg read\" unit Byte,"
	 "sum(sum#sum#io.bytes.read) as \"Total read\" unit Byte,"
	 "avg(ratio#sum#io.bytes.read/sum#io.time.ns) as \"Avg read Mbit/s\","
	 "max(ratio#sum#io.bytes.read/sum#io.time.ns) as \"Max read Mbit/s\""},
	{"io.write.bandwidth", SPEED("written", "written") "Write Mbit/s\" unit Mb/s",
	 "select avg(sum#sum#io.bytes.written) as \"Avg written\" unit Byte,"
	 "sum(sum#sum#io.bytes.written) as \"Total written\" unit Byte,"
	 "avg(ratio#sum#io.bytes.written/sum#io.time.ns) as \"Avg write Mbit/s\","
	 "max(ratio#sum#io.bytes.written/sum#io.time.ns) as \"Max write Mbit/s\""},
};

const char *configuration_name_at(size_t index)
{
	return index < array_count(configurations) ? configurations[index].name : NULL;
}

const struct configuration *configuration_find(const char *name)
{
	for (size_t i = 0; i < array_count(configurations); i++) {
		const struct configuration *found = &configurations[i];

		if (!strcmp(name, found->name) ||
		    (found->alias && !strcmp(name, found->alias)))
			return found;
	}
	return NULL;
}

const struct configuration_option *configuration_option_at(size_t index)
{
	return index < array_count(options) ? &options[index] : NULL;
}

const char *configuration_option_name_at(size_t index)
{
	return index < array_count(options) ? options[index].name : NULL;
}

const struct configuration_option *configuration_option_find(const char *name)
{
	for (size_t i = 0; i < array_count(options); i++)
		if (!strcmp(name, options[i].name))
			return &options[i];
	return NULL;
}

const char *configuration_places_find(const char *option)
{
	for (size_t i = 0; i < array_count(places); i++)
		if (!strcmp(option, places[i].option))
			return places[i].clauses;
	return NULL;
}

const struct configuration_clauses *configuration_clauses_find(const char *option)
{
	for (size_t i = 0; i < array_count(clauses); i++)
		if (!strcmp(option, clauses[i].name))
			return &clauses[i];
	return NULL;
}
