/* Questions that compare runs; the tables are as those of store/ask.h. */
#ifndef TRAMMEL_STORE_COMPARE_H
#define TRAMMEL_STORE_COMPARE_H

#include "store/answer.h"
#include "store/choose.h"

/* The event's numbers by function: mean, deviation, least and most of the runs, those
 * that vary most first; a run without the function has 0. */
struct trm_error *ask_variation(struct sql *sql, const struct store_event *event,
				struct answer *ret_answer);

/*
 * The event's numbers by function, of the runs in temp.chosen (A) and temp.chosen_b, as
 * means of a run, the largest difference first. Of samples with the difference in
 * standard deviations, as independent events have it.
 */
struct trm_error *ask_difference(struct sql *sql, const struct store_event *event,
				 struct answer *ret_answer);

#endif
