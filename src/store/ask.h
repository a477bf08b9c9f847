/* Questions to a database: each makes a table of the runs in temp.chosen. */
#ifndef TRAMMEL_STORE_ASK_H
#define TRAMMEL_STORE_ASK_H

#include "store/answer.h"
#include "store/choose.h"

/* Lists of what is there: `kind` is "epochs", "runs", "images", "events", "hosts" or
 * "labels". */
struct trm_error *ask_list(struct sql *sql, const char *kind, struct answer *ret_answer);

/* Whether there is a list of this kind. */
bool ask_has_list(const char *kind);

/* What rows of `top` are: the words for --by, NULL at the end. */
extern const char *const ask_subjects[];

/* The event's numbers by subject (an index of ask_subjects), the largest first; of those
 * functions in temp.chosen_functions. */
struct trm_error *ask_top(struct sql *sql, const struct store_event *event, int subject,
			  struct answer *ret_answer);

/* The numbers of all events at each address of the functions in temp.chosen_functions. */
struct trm_error *ask_places(struct sql *sql, struct answer *ret_answer);

/* The event's numbers by address, the largest first, at most `limit`; of those functions
 * in temp.chosen_functions. */
struct trm_error *ask_top_places(struct sql *sql, const struct store_event *event,
				 size_t limit, struct answer *ret_answer);

/* All numbers as they are, with their run, context, function and address; at most
 * `limit`.
 */
struct trm_error *ask_numbers(struct sql *sql, size_t limit, struct answer *ret_answer);

#endif
