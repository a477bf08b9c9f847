/*
 * What commands on one function of a profile have in common.
 */
#ifndef TRAMMEL_CLI_CHOOSE_H
#define TRAMMEL_CLI_CHOOSE_H

#include "annotate/annotation.h"
#include "cli/showing.h"
#include "derive/walk.h"

/* Loads a profile with counts of blocks: see showing_load. */
struct trm_error *choose_profile(const char *path, const struct report_filter *filter,
				 struct report_profile **ret_profile);

/* The same of one with counts of calls by call site. */
struct trm_error *choose_calls(const char *path, const struct report_filter *filter,
			       struct report_profile **ret_profile);

/* The code of the one function that the word means (see annotation_find). If it means
 * several, they are listed on standard error, and it is an error. The caller deinits the
 * annotation, and then closes the file. */
struct trm_error *choose_function(const struct report_profile *profile, const char *word,
				  struct annotation_file *file,
				  struct annotation *annotation);

/* What `trammel loops` and `trammel mix` are asked. */
struct choice {
	const char *functions; /* glob for their names; NULL: all */
	struct report_filter filter;
	struct walk_options options;
};

/* Reads FILE [FUNCTION] and the usual options; `command` is for messages. */
struct trm_error *choose_functions(const struct showing *given, const char *command,
				   struct choice *ret_choice);

/* Loads the profile FILE of `given`, which must have counts of blocks, and prints the
 * text that `add` makes of it. */
struct trm_error *
choose_and_print(const struct showing *given, const struct choice *choice,
		 void (*add)(const struct report_profile *profile,
			     const struct choice *choice, struct text *out));

#endif
