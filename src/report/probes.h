/*
 * What one-line probes found: see docs/profile.md, "probe records".
 */
#ifndef TRAMMEL_REPORT_PROBES_H
#define TRAMMEL_REPORT_PROBES_H

#include "report/profile.h"

/* An action of a probe. */
struct report_probe {
	uint64_t number;   /* in the order of the command line */
	const char *probe; /* its points, as written */
	const char *name, *kind;
	const char *keys; /* as written, with commas; "": none */
	uint64_t limit;   /* of top(): so many keys are shown; 0: all */
	/* Set by selecting: */
	uint64_t hits, errors, lost;
	int64_t sum;
	bool has_extreme;
	int64_t extreme; /* the least or largest value */
};

/* A number of values that an action found: all, those with some keys, or those in a row
 * of a histogram. */
struct report_probe_count {
	uint32_t probe, image;
	const char *key; /* values of the keys, with commas; NULL: not told apart */
	bool is_row;
	int64_t low, high; /* of a row: the values from `low` up to `high` */
	uint64_t hits, errors, lost;
	int64_t sum;
	bool has_extreme;
	int64_t extreme;
};

/* A hit of trace(). */
struct report_probe_hit {
	uint32_t probe, image;
	uint64_t thread, ns;
	const char *values; /* with commas */
};

/* Adds a record that has "probe.number". */
void report_probes_add(struct report_profile *profile, const struct record_model *model,
		       record_node node, const struct record_pair *pairs, size_t count,
		       uint32_t image);

/* Sums the probes of the selection: a part of report_profile_select. */
void report_probes_select(struct report_profile *profile);

/* Returns the indices of the profile's probes in their order; the caller frees. */
uint32_t *report_probes_order(const struct report_profile *profile);

/* Returns what an action found in the selected images, summed: its keys, the largest
 * counts (sums, for actions that add up) first, each with its rows behind it. The caller
 * frees the array. */
struct report_probe_count *report_probe_counts(const struct report_profile *profile,
					       uint32_t probe, size_t *ret_count);

/* Returns whether an action keeps the least or largest value. */
bool report_probe_is_extreme(const struct report_probe *probe);

#endif
