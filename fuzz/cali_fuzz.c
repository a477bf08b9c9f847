/*
 * Any bytes as a .cali or json-split file: they are refused, or read; and what was read
 * is the same after it was written as .cali and read again.
 */
#include "record/cali_writer.h"
#include "record/model.h"
#include "record/trm_reader.h"
#include "record/value.h"
#include "record/record.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program where the reader or the writer did not keep its word. */
static void must(bool condition)
{
	if (!condition)
		abort();
}

/* What was read, without names: the writer may have to make them longer. */
struct seen {
	struct record_model *model;
	struct cali_writer *writer; /* or NULL */
	struct text text;
};

static void see_value(struct seen *seen, struct record_pair pair)
{
	must(pair.attribute < record_attribute_count(seen->model));
	must(pair.value.type == record_attribute_type(seen->model, pair.attribute));
	if (pair.value.type == RECORD_STRING || pair.value.type == RECORD_BLOB)
		must(!pair.value.bytes[pair.value.size]);
	record_value_text(&seen->text, pair.value);
	text_add(&seen->text, " ");
}

static void see_record(void *context, record_node node, const struct record_pair *pairs,
		       size_t count)
{
	struct seen *seen = context;

	if (seen->writer)
		cali_writer_record(seen->writer, node, pairs, count);
	for (size_t i = 0; i < count; i++)
		see_value(seen, pairs[i]);
	/* A long path in many records takes long. */
	for (int i = 0; i < 8 && node; i++) {
		see_value(seen, record_node_pair(seen->model, node));
		node = record_node_parent(seen->model, node);
	}
	text_add(&seen->text, "\n");
}

static void see_global(void *context, record_attribute attribute,
		       struct record_value value)
{
	struct seen *seen = context;

	if (seen->writer)
		cali_writer_global(seen->writer, attribute, value);
	else
		see_value(seen, (struct record_pair){attribute, value});
}

/* Whether it is a profile without fault. */
static bool read_once(struct seen *seen, const void *data, size_t size)
{
	struct trm_visitor visitor = {
		.context = seen, .record = see_record, .global = see_global};
	char *warning = NULL;
	struct trm_error *error =
		trm_read_memory(data, size, "fuzz", seen->model, &visitor, &warning);
	bool whole = !error && !warning;

	must(!(error && warning));
	must(!warning || !strchr(warning, '\n'));
	must(!error || (error->message && !strchr(error->message, '\n')));
	free(warning);
	trm_error_destroy(error);
	for (size_t node = 1; node < record_node_count(seen->model); node++)
		must(record_node_parent(seen->model, (record_node)node) < node);
	return whole;
}

static void forget(struct seen *seen)
{
	text_deinit(&seen->text);
	record_model_destroy(seen->model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text file = {0};
	struct seen first = {.model = record_model_create(),
			     .writer = cali_writer_create(&file)};
	struct seen second = {.model = record_model_create()};

	text_add(&first.text, "");
	text_add(&second.text, "");
	text_add(&file, "");
	if (size >= 6 && size <= 1 << 20 && data[0] != 'T') {
		cali_writer_use(first.writer, first.model);
		read_once(&first, data, size);
	}
	cali_writer_finish(first.writer);
	if (first.text.length) {
		must(read_once(&second, file.data, file.length));
		/* Globals come last, and were not noted the first time. */
		must(second.text.length >= first.text.length &&
		     !memcmp(second.text.data, first.text.data, first.text.length));
	}
	forget(&first);
	forget(&second);
	text_deinit(&file);
	return 0;
}
