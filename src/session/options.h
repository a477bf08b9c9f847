/*
 * What the user asked of a run.
 */
#ifndef TRAMMEL_SESSION_OPTIONS_H
#define TRAMMEL_SESSION_OPTIONS_H

#include "base/vector.h"
#include "collect/collect.h"

#include <stdbool.h>

/* A glob for modules and one for functions: "module:function", or a function's alone. */
struct pattern {
	char *module;   /* "*" where there was none */
	char *function; /* "*" where there was none */
	char *text;     /* as given */
};

struct patterns VECTOR(struct pattern);

/* Where functions relocated whole make their calls: see code/whole.h. */
enum calls {
	CALLS_AUTO, /* in relocated code, where that cannot be noticed */
	CALLS_IN_PLACE,
	CALLS_RELOCATED,
};

struct session_options {
	const struct collector *collector;
	struct patterns only; /* empty: everything */
	struct patterns skip;
	const char *output;           /* path of the profile */
	const char *const *arguments; /* the program's, its name first; NULL at the end */
	bool quiet, verbose;
	enum calls calls;
};

/* "libz*:deflate*" means functions of modules; "deflate*" functions of any; "libz*:" or a
 * pattern with a slash or ".so" in it all functions of modules. */
struct pattern pattern_parse(const char *text);
void pattern_deinit(struct pattern *pattern);

/* Adds the patterns of a list that is separated by commas. */
void patterns_add(struct patterns *patterns, const char *list);
void patterns_deinit(struct patterns *patterns);

/* Whether any function of a module (file name) can be wanted. */
bool options_want_module(const struct session_options *options, const char *module);

/* Whether a function (demangled name) is wanted. */
bool options_want_function(const struct session_options *options, const char *module,
			   const char *function);

#endif
