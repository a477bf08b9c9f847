#include "publish/spot.h"

#include "base/array.h"
#include "base/vector.h"
#include "publish/loops.h"
#include "publish/steps.h"

#include <string.h>
#include <unistd.h>

/* Numbers of nodes that the writer of .cali, which counts up from 16, does not get to. */
enum { OWN_NODES = 2000000000, PROPERTIES, NAME, VALUE };

enum { GLOBAL = 513, OF_TREE = 64, TYPE_INT = 1, TYPE_STRING = 3 };

struct parts {
	struct VECTOR(int) files; /* in memory, .cali each */
};

static struct trm_error *keep_part(struct parts *parts, const struct text *text)
{
	int fd;

	TRM_TRY(step_keep(text, &fd));
	vector_push(&parts->files, fd);
	return NULL;
}

/* Gives each record of a .cali the channel that it is of. */
static struct trm_error *keep_channel(struct parts *parts, const char *channel,
				      const struct text *table)
{
	static const char record[] = "__rec=ctx,", reference[] = "ref=";
	struct text text = {0};
	struct trm_error *error;

	text_format(&text,
		    "__rec=node,id=%d,attr=10,data=%d,parent=%d\n"
		    "__rec=node,id=%d,attr=8,data=spot.channel,parent=%d\n"
		    "__rec=node,id=%d,attr=%d,data=%s\n",
		    PROPERTIES, OF_TREE, TYPE_STRING, NAME, PROPERTIES, VALUE, NAME,
		    channel);
	for (const char *at = table->data, *end; at && *at; at = end) {
		end = at + strcspn(at, "\n");
		end += *end == '\n';
		if (!strncmp(at, record, strlen(record))) {
			at += strlen(record);
			text_format(&text, "%s%s%d", record, reference, VALUE);
			if (!strncmp(at, reference, strlen(reference))) {
				text_add(&text, "=");
				at += strlen(reference);
			} else {
				text_add(&text, ",");
			}
		}
		text_add_bytes(&text, at, (size_t)(end - at));
	}
	error = keep_part(parts, &text);
	text_deinit(&text);
	return error;
}

static struct trm_error *keep_series(void *context, const char *name,
				     const struct text *table)
{
	(void)name;
	return keep_channel(context, "timeseries", table);
}

static void add_escaped(struct text *text, const char *value)
{
	for (; *value; value++)
		text_format(text, "%s%c", strchr("\\,=", *value) ? "\\" : "", *value);
}

/* The names of what a query's columns have, with commas between. */
static struct trm_error *name_metrics(const char *text, struct text *names)
{
	struct query *query;

	TRM_TRY(step_parse(text, true, &query));
	text_add(names, "");
	vector_for_each (&query->aggregates, aggregate)
		if (aggregate->shown)
			text_format(names, "%s%s", names->length ? "," : "",
				    aggregate->name);
	query_destroy(query);
	return NULL;
}

static struct trm_error *keep_globals(struct parts *parts,
				      const struct publish_loops *loops,
				      const char *metrics, const char *series)
{
	const struct {
		const char *name;
		int type;
		const char *value;
	} rows[] = {
		{"spot.metrics", TYPE_STRING, metrics},
		{"spot.timeseries.metrics", TYPE_STRING, series},
		{"spot.format.version", TYPE_INT, "2"},
		{"spot.options", TYPE_STRING, loops->options},
		{"spot.channels", TYPE_STRING,
		 loops->with_series ? "regionprofile,timeseries" : "regionprofile"},
	};
	const size_t count = array_count(rows);
	struct text text = {0}, data = {0};
	struct trm_error *error;

	for (size_t i = 0; i < count; i++)
		text_format(&text,
			    "__rec=node,id=%zu,attr=10,data=%d,parent=%d\n"
			    "__rec=node,id=%zu,attr=8,data=%s,parent=%zu\n",
			    16 + 2 * i, GLOBAL, rows[i].type, 17 + 2 * i, rows[i].name,
			    16 + 2 * i);
	text_add(&text, "__rec=globals,attr");
	for (size_t i = 0; i < count; i++) {
		text_format(&text, "=%zu", 17 + 2 * i);
		text_add(&data, "=");
		add_escaped(&data, rows[i].value ? rows[i].value : "");
	}
	text_format(&text, ",data%s\n", data.data);
	error = keep_part(parts, &text);
	text_deinit(&text);
	text_deinit(&data);
	return error;
}

static struct trm_error *keep_regions(struct parts *parts,
				      const struct publish_loops *loops,
				      struct source *source)
{
	struct text table = {0};
	struct trm_error *error =
		source_add(source, loops->regions, loops->regions_across, false, &table);

	if (!error)
		error = keep_channel(parts, "regionprofile", &table);
	text_deinit(&table);
	return error;
}

struct trm_error *spot_profile(const struct publish_loops *loops, struct source *source,
			       struct text *out)
{
	struct parts parts = {0};
	struct text metrics = {0}, series = {0};
	struct trm_error *error = name_metrics(loops->regions_across, &metrics);

	if (!error && loops->with_series)
		error = name_metrics(loops->series_across, &series);
	if (!error)
		error = keep_regions(&parts, loops, source);
	if (!error && loops->with_series)
		error = loops_each(loops, source, keep_series, &parts);
	if (!error)
		error = keep_globals(&parts, loops, metrics.data, series.data);
	if (!error)
		error = step_add_all("SELECT * FORMAT cali", false, parts.files.items,
				     parts.files.count, out);
	vector_for_each (&parts.files, file)
		close(*file);
	vector_deinit(&parts.files);
	text_deinit(&metrics);
	text_deinit(&series);
	return error;
}
