/* Helpers shared by the commands that show one function of a profile. */
#ifndef TRAMMEL_CLI_CHOOSE_H
#define TRAMMEL_CLI_CHOOSE_H
#include "annotate/annotation.h"
#include "cli/showing.h"
#include "derive/walk.h"
#include "report/select.h"

/* Loads a profile with counts of blocks: see showing_load. */
struct trm_error *choose_profile(const char *path, const struct report_filter *filter,
				 struct report_profile **ret_profile);

/* Loads a profile like choose_profile; samples will do, too. */
struct trm_error *choose_places(const char *path, const struct report_filter *filter,
				struct report_profile **ret_profile);

/* Loads a profile like choose_places; values of instructions will do, too. */
struct trm_error *choose_instructions(const char *path,
				      const struct report_filter *filter,
				      struct report_profile **ret_profile);

/* Loads a profile like choose_profile; the profile must have call counts by call site. */
struct trm_error *choose_calls(const char *path, const struct report_filter *filter,
			       struct report_profile **ret_profile);

/* Finds the code of the one function that `word` means (see annotation_find). If
 * several match, lists them on standard error and returns an error. The caller deinits
 * the annotation, and then closes the file. */
struct trm_error *choose_function(const struct report_profile *profile, const char *word,
				  struct annotation_file *file,
				  struct annotation *annotation);

/* Options shared by `trammel loops` and `trammel mix`. */
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
