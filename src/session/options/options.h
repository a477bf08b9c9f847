/*
 * Options of a run, as the user gave them.
 */
#ifndef TRAMMEL_SESSION_OPTIONS_OPTIONS_H
#define TRAMMEL_SESSION_OPTIONS_OPTIONS_H

#include "base/text.h"
#include "base/vector.h"
#include "code/points/points.h"
#include "sample/event.h"
#include "session/options/collector.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Pattern of two globs, for modules and functions: "module:function", or a function's
 * alone; or of a glob for modules and a range of addresses: "module:0x1000-0x2000". */
struct pattern {
	char *module;   /* "*" where there was none */
	char *function; /* "*" where there was none */
	/* Range of link-time addresses at which functions begin, `to` excluded,
	 * whatever their names; `to` is 0 for a pattern of names. */
	uint64_t from, to;
	char *text; /* as given */
};

struct patterns VECTOR(struct pattern);

/* Events that begin or end counting: the first to happen does. */
struct window_edge {
	struct patterns calls; /* a call of a function */
	struct patterns loads; /* a module is loaded */
	uint64_t signals;      /* bit n: signal n comes */
	uint64_t wait_ns;      /* this time passed; 0: no such event */
};

/* The part of a run that is counted. */
struct session_window {
	struct window_edge start; /* its time since the program began; empty: at once */
	struct window_edge stop;  /* its time since counting began; empty: at the end */
	/* Length of the intervals to be told apart, in time or in instructions that all
	 * processes together executed; both 0: none. */
	uint64_t interval_ns, interval_instructions;
	char *words; /* the options as given, for the profile; NULL: none */
};

/* Place from which functions relocated as a whole make their calls: see
 * code/relocate/whole.h. */
enum calls {
	CALLS_AUTO, /* in relocated code, where that cannot be noticed */
	CALLS_IN_PLACE,
	CALLS_RELOCATED,
};

/* The program's own context: see session/run/contexts.h. */
struct session_context {
	const char *what; /* setting for the runtime library: "regions",
			     "regions,trace"; NULL: no context is recorded */
	char *classes;    /* of iterations, told apart: see by_region.h; NULL: none */
	bool mpi;         /* calls of MPI functions are recorded, too */
	char *folder;     /* of the spools */
	int folder_fd;    /* descriptor of the folder, locked: it is in use */
	char *library;    /* that the program is to load */
	char *wrappers;   /* library to load for MPI; NULL: none */
	bool is_static;   /* the program loads no library */
};

/* When a routine of a tool is called, beside at points of the program's code. */
enum tool_moment {
	TOOL_AT_START,      /* before the program's first instruction */
	TOOL_AT_END,        /* when it ends, however, or executes another program */
	TOOL_AT_THREAD,     /* before the first instruction of each thread */
	TOOL_AT_THREAD_END, /* when a thread ends, but with the whole program */
	TOOL_AT_FORK,       /* in a process that was forked, before it runs on */
	TOOL_AT_LOAD,       /* when a module is there, before its code runs */
	TOOL_AT_UNLOAD,     /* when a module is gone */
};

enum { TOOL_ARGUMENTS_MAX = 6 };
enum tool_argument_kind {
	TOOL_ARGUMENT_GIVEN,
	TOOL_ARGUMENT_PATH, /* of the module that is loaded or unloaded */
	TOOL_ARGUMENT_BIAS, /* its run-time minus link-time addresses */
};
struct tool_argument {
	enum tool_argument_kind kind;
	int64_t value;
	char *text; /* not NULL: the address of this text in the program is meant */
};

/* Call of a routine at such a moment. */
struct tool_use {
	enum tool_moment moment;
	char *routine;
	size_t count; /* of arguments */
	struct tool_argument arguments[TOOL_ARGUMENTS_MAX];
};

/* Routine that points call: its address goes to a word of wire_control.routines. */
struct tool_point_routine {
	char *name;
	uint32_t word;
	bool known;  /* see struct recipe_routine */
	bool thread; /* it uses thread-local storage */
	uint8_t direct;
};

/* Tool that is loaded into the measured programs: see session/tool/. */
struct tool_choice {
	char *path;                          /* of the shared object */
	char *words;                         /* behind it, as given; NULL: none */
	char *name;                          /* of its records; NULL: that of the file */
	struct VECTOR(struct tool_use) uses; /* in this order */
	struct VECTOR(struct tool_point_routine) routines;
};
struct tool_choices VECTOR(struct tool_choice);

/* Shows that `left` modules, of which `name` is one, are being planned; 0: no more. */
typedef void planning_show(const char *name, unsigned int left);

/* Samples that are taken: collector.samples. */
struct session_samples {
	char *events; /* names, with commas between them */
	struct sample_rate rate;
	uint64_t threshold_ns; /* shorter waits do not count */
	uint64_t look_ns;      /* from one look at all threads to the next; 0: none */
};

enum { VALUES_LENGTH = 8, VALUES_LENGTH_MAX = 64 };
struct trammel_value_profiler;

/* Values that are sampled: see session/count/values.h. */
struct session_values {
	bool on;
	uint64_t length; /* instructions of a stretch */
	uint64_t every;  /* at each so many interrupts */
	uint64_t seed;   /* of the jitter */
	char *kinds;     /* as given; NULL: the usual ones */
	bool want[4];    /* enum value_kind */
	/* The user's own, beside these: include/trammel/values.h; NULL: none. */
	const struct trammel_value_profiler *profiler;
};
enum value_kind {
	VALUE_KIND_VALUES,
	VALUE_KIND_ADDRESSES,
	VALUE_KIND_REPLAYS,
	VALUE_KIND_LATENCY
};

struct probe_program;
struct session;

/* Who serves a run from inside of the tracer: a debugger, a controller. */
struct session_server {
	/* Called on the tracer's thread when there is a session: before the first program
	 * is executed or, of an attachment, when counting has begun. NULL: nobody. */
	void (*begin)(struct session *session, void *context);
	/* Called in the front once the program (process `pid`) executes; `why`: errno if
	 * it could not. NULL: nobody wants to know. */
	void (*executed)(void *context, pid_t pid, int why);
	void *context;
};

/* What is counted in each region is kept apart: see session/thread/views.h. */
struct session_by_region {
	bool on;
	struct patterns functions; /* that are regions, too, until by_region_check */
	struct text classes;       /* of iterations, likewise */
	uint32_t rule_count;       /* of them */
	uint64_t class_count;      /* of all rules together */
};

struct session_options {
	const struct collector *collector;
	struct session_context context;
	struct session_samples samples;
	struct session_values values;
	struct patterns only; /* empty: everything */
	struct patterns skip;
	bool hooks_alone;        /* no function is measured; `only` is empty */
	struct patterns regions; /* functions whose calls are regions beside what is
				    counted (collector.spans) */
	struct session_window window;
	struct patterns only_programs; /* programs to measure; empty: all */
	struct patterns skip_programs;
	struct tool_choices tools;
	char *tool_output; /* file for what tools print; NULL: standard error */
	uint64_t tool_ns;  /* nanoseconds that a routine may take */
	bool threads;      /* counts of threads are kept apart */
	struct session_by_region by_region; /* and those of the program's regions */
	bool no_follow;     /* processes that the first one makes run unmeasured */
	const char *output; /* path of the profile */
	const char *const *arguments; /* the program's, its name first; NULL at the end */
	bool quiet, verbose;
	planning_show *planning; /* NULL: not shown */
	enum calls calls;
	struct probe_program *probes; /* NULL: none */
	uint64_t memory_limit; /* bytes that all arenas together may take; 0: no limit */
	struct point_sources points; /* code of others: collectors', probes', tools' */
	struct session_server server;
	bool live; /* measured programs run before and after the measurement: see
		      plan_request.live */
};

/* Adds a tool by its path, behind which a colon and words may stand. */
void tool_choices_add(struct tool_choices *tools, const char *text);
void tool_choices_deinit(struct tool_choices *tools);

/* Parses a pattern: "libz*:deflate*" means functions of modules; "deflate*" functions
 * of any module; "libz*:", or a pattern with a slash or ".so" in it, all functions of
 * modules; "libz*:0x1000-0x2000", or "0x1000" alone, the functions that begin there. */
struct pattern pattern_parse(const char *text);
void pattern_deinit(struct pattern *pattern);

/* Adds the patterns of a list that is separated by commas. */
void patterns_add(struct patterns *patterns, const char *list);
void patterns_deinit(struct patterns *patterns);

/* Adds the patterns of such a list where each names a module or program: its file name
 * or path. */
void patterns_add_files(struct patterns *patterns, const char *list);

/* Returns whether one of the patterns matches a file (path). */
bool patterns_have_file(const struct patterns *patterns, const char *path);

struct image;

/* Returns whether one of the patterns matches a function by any of the names that
 * `image` has for it. `image` NULL: only `function` is its name. */
bool patterns_have_names(const struct patterns *patterns, const char *module,
			 const struct image *image, const char *function,
			 uint64_t address);

/* Returns whether an edge has no event. */
bool window_edge_is_empty(const struct window_edge *edge);
void window_edge_deinit(struct window_edge *edge);

/* Returns whether processes that execute this program are measured: by its path, or by
 * the name that it was executed by (python3 may be python3.11). */
bool options_want_program(const struct session_options *options, const char *path,
			  const char *name);

/* Returns the sources of points that a module (path) may have; NULL: none. */
const struct point_sources *options_points_of(const struct session_options *options,
					      const char *module);

/* Returns whether functions are measured unless they are skipped. */
bool options_take_all(const struct session_options *options);

/* Returns whether flags are to record which code ran in each part of the run. */
bool options_have_parts(const struct session_options *options);

/* Returns whether any function of a module (file name) can be selected. */
bool options_want_module(const struct session_options *options, const char *module);

/* Returns whether a function (demangled name, link-time address) is selected, by any
 * of the names that `image` has for it. `image` NULL: only `function` is its name. */
bool options_want_function(const struct session_options *options, const char *module,
			   const struct image *image, const char *function,
			   uint64_t address);

#endif
