/*
 * Any text as a query, and as one for cali-query: it is refused with one line and a place
 * in the text, or it runs over a small profile and its result is printed.
 */
#include "context/channel_view.h"
#include "query/format.h"
#include "query/lex.h"
#include "query/parse.h"
#include "query/result.h"
#include "query/run.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "query/query.h"
#include "record/record.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program where something did not keep its word. */
static void must(bool condition)
{
	if (!condition)
		abort();
}

static record_attribute attribute(struct record_model *model, const char *name,
				  enum record_type type, uint32_t properties)
{
	record_attribute id = 0;

	must(!record_attribute_intern(model, name, type, properties, &id));
	return id;
}

static void write_records(struct trm_writer *writer, struct record_model *model)
{
	record_attribute region = attribute(model, "a", RECORD_STRING, RECORD_NESTED);
	record_attribute x = attribute(model, "x", RECORD_INT, RECORD_AS_VALUE);
	record_attribute d = attribute(model, "d", RECORD_DOUBLE, RECORD_AS_VALUE);
	record_attribute flag = attribute(model, "b", RECORD_BOOL, 0);
	record_attribute host = attribute(model, "h", RECORD_STRING, RECORD_GLOBAL);
	record_node node = 0;

	trm_writer_global(writer, host, record_string("host"));
	for (int i = 0; i < 6; i++) {
		struct record_pair pairs[] = {
			{x, record_int((int64_t)1 << (i * 12))},
			{d, {.type = RECORD_DOUBLE, .d = i * 0.1 - 0.2}},
		};

		trm_writer_record(writer, node, pairs, (size_t)i % 3);
		node = i == 3 ? 0
			      : record_node_child(model, node, region,
						  record_string(i % 2 ? "n" : "m"));
		if (i == 4)
			node = record_node_child(
				model, node, flag,
				(struct record_value){.type = RECORD_BOOL, .u = 1});
	}
}

/* Begins and ends, some of which lack their other halves. */
static void write_events(struct trm_writer *writer, struct record_model *model)
{
	static const struct {
		bool ends;
		uint64_t ns;
	} events[] = {{false, 50}, {true, 60}, {true, 10}, {false, 20}, {false, 30}};
	record_attribute time =
		attribute(model, "time.offset.ns", RECORD_UINT, RECORD_AS_VALUE);
	record_attribute begin =
		attribute(model, "event.begin#a", RECORD_STRING, RECORD_AS_VALUE);
	record_attribute end =
		attribute(model, "event.end#a", RECORD_STRING, RECORD_AS_VALUE);

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct record_pair pairs[] = {
			{time, record_uint(events[i].ns)},
			{events[i].ends ? end : begin, record_string("m")},
		};

		trm_writer_record(writer, 0, pairs, 2);
	}
}

/* The path of the profile, which is in memory. */
static const char *profile(void)
{
	static char path[64];

	if (!path[0]) {
		int fd = memfd_create("query_fuzz", MFD_CLOEXEC);
		struct record_model *model = record_model_create();
		struct trm_writer *writer = trm_writer_create(fd, model);

		must(fd >= 0);
		write_records(writer, model);
		write_events(writer, model);
		must(!trm_writer_finish(writer));
		record_model_destroy(model);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	return path;
}

static struct trm_error *take_part(const struct text *text)
{
	must(strlen(text->data) <= text->length);
	return NULL;
}

static void run(const struct query *query)
{
	const char *const paths[] = {profile(), profile()};
	struct text out = {0}, warnings = {0};
	struct query_result *result;

	must(!query_run(query, paths, 2, 2, &result, &warnings));
	query_print(result, &(struct query_style){.width = 40, .colour = true}, &out);
	query_print(result, &(struct query_style){.object = true}, &out);
	query_result_destroy(result);
	if (query_can_stream(query, &(struct query_style){0}))
		must(!query_stream(query, paths, 2, &(struct query_style){0}, take_part,
				   &warnings));
	text_deinit(&out);
	text_deinit(&warnings);
}

static void ask(const char *text,
		struct trm_error *(*parse)(const char *, struct query **, size_t *))
{
	struct query *query = NULL;
	size_t place = 0;
	struct trm_error *error = parse(text, &query, &place);

	if (error) {
		struct text shown = {0};

		must(place <= strlen(text));
		text_add_place(text, place, &shown);
		text_deinit(&shown);
		trm_error_destroy(error);
	} else {
		run(query);
		query_destroy(query);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = memory_allocate(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	ask(text, query_parse);
	ask(text, query_parse_caliper);
	free(text);
	return 0;
}
