/*
 * What the user asked of a run.
 */
#ifndef TRAMMEL_SESSION_OPTIONS_OPTIONS_H
#define TRAMMEL_SESSION_OPTIONS_OPTIONS_H

#include "base/vector.h"
#include "session/options/collector.h"

#include <stdbool.h>
#include <stdint.h>

/* A glob for modules and one for functions: "module:function", or a function's alone; or
 * a glob for modules and addresses: "module:0x1000-0x2000". */
struct pattern {
	char *module;   /* "*" where there was none */
	char *function; /* "*" where there was none */
	/* Functions that begin at one of these link-time addresses, `to` not among them,
	 * whatever they are called; `to` is 0 for a pattern of names. */
	uint64_t from, to;
	char *text; /* as given */
};

struct patterns VECTOR(struct pattern);

/* What counting begins or ends with: the first thing of these that happens. */
struct window_edge {
	struct patterns calls; /* a call of a function */
	struct patterns loads; /* a module is loaded */
	uint64_t signals;      /* bit n: signal n comes */
	uint64_t wait_ns;      /* so much time passed; 0: not that */
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

/* Where functions relocated whole make their calls: see code/relocate/whole.h. */
enum calls {
	CALLS_AUTO, /* in relocated code, where that cannot be noticed */
	CALLS_IN_PLACE,
	CALLS_RELOCATED,
};

/* The program's own context: see session/run/contexts.h. */
struct session_context {
	const char *what; /* for the runtime library: "regions", "regions,trace"; NULL */
	bool mpi;         /* calls of MPI functions are recorded, too */
	char *folder;     /* of the spools */
	int folder_fd;    /* of that, locked: somebody uses it */
	char *library;    /* that the program is to load */
	char *wrappers;   /* the same for MPI, or NULL */
	bool is_static;   /* the program loads no library */
};

/* Shows that `left` modules, of which `name` is one, are being planned; 0: no more. */
typedef void planning_show(const char *name, unsigned int left);

struct session_options {
	const struct collector *collector;
	struct session_context context;
	struct patterns only; /* empty: everything */
	struct patterns skip;
	bool hooks_alone;        /* no function is measured; `only` is empty */
	struct patterns regions; /* functions whose calls are regions beside what is
				    counted (collector.spans) */
	struct session_window window;
	struct patterns only_programs; /* of which one is measured; empty: all */
	struct patterns skip_programs;
	bool threads;       /* their counts are told apart */
	bool no_follow;     /* processes that the first one makes run unmeasured */
	const char *output; /* path of the profile */
	const char *const *arguments; /* the program's, its name first; NULL at the end */
	bool quiet, verbose;
	planning_show *planning; /* NULL: nobody wants to know */
	enum calls calls;
	uint64_t memory_limit; /* bytes that arenas may take in all; 0: no matter */
	bool live; /* programs are measured that run before and afterwards: see
		      plan_request.live */
};

/* "libz*:deflate*" means functions of modules; "deflate*" functions of any; "libz*:" or a
 * pattern with a slash or ".so" in it all functions of modules; "libz*:0x1000-0x2000", or
 * "0x1000" alone, the functions that begin there. */
struct pattern pattern_parse(const char *text);
void pattern_deinit(struct pattern *pattern);

/* Adds the patterns of a list that is separated by commas. */
void patterns_add(struct patterns *patterns, const char *list);
void patterns_deinit(struct patterns *patterns);

/* The same where each pattern is one for a module or program: its file name or path. */
void patterns_add_files(struct patterns *patterns, const char *list);

/* Whether a file (path) is meant by one of the patterns. */
bool patterns_have_file(const struct patterns *patterns, const char *path);

/* Whether a function (demangled name, link-time address) of a module (path) is meant by
 * one of them. */
bool patterns_have_function(const struct patterns *patterns, const char *module,
			    const char *function, uint64_t address);

struct image;

/* The same by any of the names that the image has for a function. NULL: there is none. */
bool patterns_have_names(const struct patterns *patterns, const char *module,
			 const struct image *image, const char *function,
			 uint64_t address);

/* Whether nothing is asked for. */
bool window_edge_is_empty(const struct window_edge *edge);
void window_edge_deinit(struct window_edge *edge);

/* Whether processes that execute this program are measured: by its path, or by the name
 * that it was executed by (python3 may be python3.11). */
bool options_want_program(const struct session_options *options, const char *path,
			  const char *name);

/* Whether functions are wanted unless they are skipped. */
bool options_take_all(const struct session_options *options);

/* Whether flags are to tell what ran in parts of the run. */
bool options_have_parts(const struct session_options *options);

/* Whether any function of a module (file name) can be wanted. */
bool options_want_module(const struct session_options *options, const char *module);

/* Whether a function (demangled name, link-time address) is wanted, by any of the names
 * that the image has for it. NULL: it has this one alone. */
bool options_want_function(const struct session_options *options, const char *module,
			   const struct image *image, const char *function,
			   uint64_t address);

#endif
