/* Which runs of a database a question is about. */
#ifndef TRAMMEL_STORE_CHOOSE_H
#define TRAMMEL_STORE_CHOOSE_H

#include "base/vector.h"
#include "store/sql/sql.h"

/* Shell patterns, NULL: all. */
struct store_choice {
	const char *epoch; /* also "latest" */
	const char *label, *host;
	const char *image; /* of its path or file name, or how its build id begins */
	const char *event; /* the name of one */
	const char *run;   /* numbers: "7", "3-9" */
	const char *function;
};

/* Makes a table `temp.NAME` with the numbers of the runs that the choice means; of an
 * image, those that had it. `name` is a literal. An error if there is none. */
struct trm_error *store_choose(struct sql *sql, const struct store_choice *choice,
			       const char *name);

/* Whether an image matches a pattern of a choice, which may be NULL. */
bool store_is_image(const char *pattern, const char *path, const char *build);

/* Makes a table temp.chosen_functions with the functions whose image and name match. */
struct trm_error *store_choose_functions(struct sql *sql,
					 const struct store_choice *choice);

/* Finds the event of a choice; without one the first of those that the runs in
 * temp.`chosen` have, in this order: samples, instructions, calls, another. Writes
 * whether its numbers have fractions, and are samples. */
struct store_event {
	int64_t id;
	char name[256];
	bool real, sampled;
};
struct trm_error *store_choose_event(struct sql *sql, const struct store_choice *choice,
				     struct store_event *ret_event);

#endif
