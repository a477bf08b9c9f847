#include "report/text/probes.h"

#include "report/probes.h"
#include "report/runs.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 40 }; /* columns of the longest bar of a histogram */

static void add_signed(struct text *out, int64_t number)
{
	if (number < 0)
		text_add(out, "-");
	text_add_grouped(out, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

/* A number that is mostly a size or a time, so short: 1024 is 1K. */
static void add_bound(struct text *out, int64_t number)
{
	static const char units[] = "KMGTPE";
	uint64_t size = number < 0 ? -(uint64_t)number : (uint64_t)number;
	int unit = -1;

	while (size && size % 1024 == 0 && unit < 5) {
		size /= 1024;
		unit++;
	}
	text_format(out, "%s%" PRIu64, number < 0 ? "-" : "", size);
	if (unit >= 0)
		text_add_bytes(out, units + unit, 1);
}

static void add_range(struct text *out, const struct report_probe_count *row)
{
	if (row->high == row->low) {
		add_bound(out, row->low);
		return;
	}
	text_add(out, "[");
	if (row->low == INT64_MIN)
		text_add(out, "...");
	else
		add_bound(out, row->low);
	text_add(out, ", ");
	/* The row behind the last ends with the largest number. */
	if (row->high == INT64_MAX)
		text_add(out, "...]");
	else
		add_bound(out, row->high + 1);
	if (row->high != INT64_MAX)
		text_add(out, ")");
}

/* Rows from the first that has something to the last. */
static void add_histogram(struct text *out, const struct report_probe_count *rows,
			  size_t count)
{
	size_t first = 0, last = count;
	uint64_t most = 0;

	while (last && !rows[last - 1].hits)
		last--;
	while (first < last && !rows[first].hits)
		first++;
	for (size_t i = first; i < last; i++)
		most = rows[i].hits > most ? rows[i].hits : most;
	for (size_t i = first; i < last; i++) {
		struct text range = {0}, hits = {0};
		size_t length =
			most ? (size_t)((double)rows[i].hits / (double)most * BAR + 0.5)
			     : 0;

		add_range(&range, &rows[i]);
		text_add_grouped(&hits, rows[i].hits);
		text_format(out, "    %-18s %12s |", range.data, hits.data);
		for (size_t k = 0; k < BAR; k++)
			text_add(out, k < length ? "@" : " ");
		text_add(out, "|\n");
		text_deinit(&range);
		text_deinit(&hits);
	}
}

/* "sum 12, average 3.0" */
static void add_sum(struct text *out, const char *kind, uint64_t hits, int64_t sum)
{
	if (!strcmp(kind, "avg") || !strcmp(kind, "hist")) {
		text_format(out, "average %.1f", hits ? (double)sum / (double)hits : 0.0);
		if (!strcmp(kind, "avg"))
			return;
		text_add(out, ", ");
	}
	text_add(out, "sum ");
	add_signed(out, sum);
}

/* What a number of values came to. */
static void add_result(struct text *out, const struct report_probe *probe, uint64_t hits,
		       int64_t sum, bool has_extreme, int64_t extreme)
{
	bool adds = !strcmp(probe->kind, "sum") || !strcmp(probe->kind, "avg") ||
		    !strcmp(probe->kind, "hist") || (!strcmp(probe->kind, "top") && sum);

	if (report_probe_is_extreme(probe)) {
		text_format(out, "%s ", probe->kind);
		if (has_extreme)
			add_signed(out, extreme);
		else
			text_add(out, "none");
	} else if (adds) {
		add_sum(out, !strcmp(probe->kind, "top") ? "sum" : probe->kind, hits,
			sum);
	}
	if (report_probe_is_extreme(probe) || adds)
		text_add(out, " of ");
	report_add_count(out, hits, "hit", "hits");
}

static void add_trouble(struct text *out, const struct report_probe *probe)
{
	if (probe->errors) {
		text_add(out, ", ");
		report_add_count(out, probe->errors, "error", "errors");
	}
	if (probe->lost) {
		text_add(out, ", ");
		text_add_grouped(out, probe->lost);
		text_add(out, !strcmp(probe->kind, "trace") || *probe->keys
				      ? " without room"
				      : " without their entry");
	}
}

/* What the columns of keys are. */
static void add_key_heading(struct text *out, const struct report_probe *probe, bool adds)
{
	const char *number = report_probe_is_extreme(probe) ? probe->kind
			     : adds                         ? "sum"
			     : !strcmp(probe->kind, "avg")  ? "average"
							    : "hits";

	text_format(out, "    %15s  ", number);
	report_add_visible(out, probe->keys);
	text_add(out, "\n");
}

static bool adds_up(const struct report_probe *probe,
		    const struct report_probe_count *count)
{
	return !strcmp(probe->kind, "sum") || (!strcmp(probe->kind, "top") && count->sum);
}

/* A key's value stands at the right, the key behind it. */
static void add_key(struct text *out, const struct report_probe *probe,
		    const struct report_probe_count *count)
{
	struct text number = {0};
	bool adds = adds_up(probe, count);

	if (report_probe_is_extreme(probe))
		add_signed(&number, count->extreme);
	else if (adds)
		add_signed(&number, count->sum);
	else if (!strcmp(probe->kind, "avg"))
		text_format(&number, "%.1f",
			    count->hits ? (double)count->sum / (double)count->hits : 0.0);
	else
		text_add_grouped(&number, count->hits);
	text_format(out, "    %15s  ", number.data);
	report_add_visible(out, count->key);
	if (adds || report_probe_is_extreme(probe) || !strcmp(probe->kind, "avg")) {
		text_add(out, "  (");
		report_add_count(out, count->hits, "hit", "hits");
		text_add(out, ")");
	}
	text_add(out, "\n");
	text_deinit(&number);
}

static void add_counts(struct text *out, const struct report_profile *profile,
		       uint32_t index, size_t limit)
{
	const struct report_probe *probe = &profile->probes.items[index];
	size_t count, shown = 0, more = 0;
	struct report_probe_count *counts = report_probe_counts(profile, index, &count);

	if (probe->limit && probe->limit < limit)
		limit = (size_t)probe->limit;
	for (size_t i = 0, rows; i < count; i += rows) {
		bool keyed = counts[i].key && !counts[i].is_row;

		rows = keyed;
		if (keyed && shown == limit) {
			more++;
			while (i + rows < count && counts[i + rows].is_row)
				rows++;
			continue;
		}
		if (keyed && !shown && *probe->keys)
			add_key_heading(out, probe, adds_up(probe, &counts[i]));
		if (keyed)
			add_key(out, probe, &counts[i]);
		shown += keyed;
		while (i + rows < count && counts[i + rows].is_row)
			rows++;
		add_histogram(out, counts + i + keyed, rows - keyed);
	}
	if (more && !probe->limit)
		report_add_more(out, more, "key", "keys");
	free(counts);
}

static void add_hits(struct text *out, const struct report_profile *profile,
		     uint32_t index, size_t limit)
{
	size_t shown = 0, more = 0;

	vector_for_each (&profile->probe_hits, hit) {
		if (hit->probe != index || !profile->images.items[hit->image].selected)
			continue;
		if (shown == limit) {
			more++;
			continue;
		}
		shown++;
		text_format(out, "    %12.6f s  thread %" PRIu64 "  ",
			    (double)hit->ns / 1e9, hit->thread);
		report_add_visible(out, hit->values);
		text_add(out, "\n");
	}
	if (more)
		report_add_more(out, more, "hit", "hits");
}

void report_add_probes(struct text *out, const struct report_profile *profile,
		       size_t limit)
{
	uint32_t *order = report_probes_order(profile);
	const char *last = NULL;

	for (size_t i = 0; i < profile->probes.count; i++) {
		const struct report_probe *probe = &profile->probes.items[order[i]];

		if (probe->probe != last) {
			text_add(out, "\n");
			report_add_visible(out, probe->probe);
			text_add(out, "\n");
		}
		last = probe->probe;
		text_add(out, "  ");
		report_add_visible(out, probe->name);
		if (*probe->keys) {
			text_add(out, " by ");
			report_add_visible(out, probe->keys);
		}
		text_add(out, ": ");
		add_result(out, probe, probe->hits, probe->sum, probe->has_extreme,
			   probe->extreme);
		add_trouble(out, probe);
		text_add(out, "\n");
		add_counts(out, profile, order[i], limit);
		add_hits(out, profile, order[i], limit);
	}
	free(order);
	vector_for_each (&profile->runs, run) {
		const char *troubles = report_run_text(run, "probe.troubles");

		while (*troubles) {
			size_t length = strcspn(troubles, "\n");
			char *line = strndup(troubles, length);

			text_add(out, "  warning: ");
			report_add_visible(out, line);
			text_add(out, "\n");
			free(line);
			troubles += length + (troubles[length] == '\n');
		}
	}
}
