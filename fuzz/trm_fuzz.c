/*
 * The .trm reader on any bytes: as a file; as a file with the checksums made right, or no
 * change of the input would ever get past them; and, if it does not look like a file, as
 * the payload of a chunk.
 */
#include "record/model.h"
#include "record/trm_reader.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "record/record.h"
#include "record/trm.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program where the reader did not keep its word. */
static void must(bool condition)
{
	if (!condition)
		abort();
}

struct seen {
	struct record_model *model;
	uint64_t sum; /* of all bytes, so that all are read */
};

static void see_value(struct seen *seen, record_attribute attribute,
		      struct record_value value)
{
	must(attribute < record_attribute_count(seen->model));
	must(value.type == record_attribute_type(seen->model, attribute));
	if (value.type == RECORD_STRING || value.type == RECORD_BLOB) {
		for (size_t i = 0; i < value.size; i++)
			seen->sum += (uint8_t)value.bytes[i];
		must(!value.bytes[value.size]);
	} else {
		seen->sum += value.u;
		must(value.type != RECORD_BOOL || value.u <= 1);
	}
	if (value.size < 100) {
		struct text text = {0};

		record_value_text(&text, value);
		text_add(&text, " ");
		record_value_json(&text, value);
		seen->sum += text.length;
		text_deinit(&text);
	}
}

static void see_record(void *context, record_node node, const struct record_pair *pairs,
		       size_t count)
{
	struct seen *seen = context;

	for (size_t i = 0; i < count; i++)
		see_value(seen, pairs[i].attribute, pairs[i].value);
	/* A few ancestors do: chains can be long, and all nodes are looked at below. */
	for (int i = 0; i < 8 && node; i++) {
		struct record_pair pair = record_node_pair(seen->model, node);

		see_value(seen, pair.attribute, pair.value);
		node = record_node_parent(seen->model, node);
	}
}

static void see_global(void *context, record_attribute attribute,
		       struct record_value value)
{
	see_value(context, attribute, value);
}

static void see_file(void *context)
{
	((struct seen *)context)->sum++;
}

static void read_once(const uint8_t *data, size_t size)
{
	struct seen seen = {.model = record_model_create()};
	struct trm_visitor visitor = {.context = &seen,
				      .record = see_record,
				      .global = see_global,
				      .file = see_file};
	char *warning = NULL;
	struct trm_error *error =
		trm_read_memory(data, size, "fuzz", seen.model, &visitor, &warning);

	must(!(error && warning));
	must(!warning || !strchr(warning, '\n'));
	must(!error || (error->message && !strchr(error->message, '\n')));
	for (size_t node = 1; node < record_node_count(seen.model); node++) {
		struct record_pair pair = record_node_pair(seen.model, (record_node)node);

		must(record_node_parent(seen.model, (record_node)node) < node);
		must(record_node_child(seen.model,
				       record_node_parent(seen.model, (record_node)node),
				       pair.attribute, pair.value) == node);
		see_value(&seen, pair.attribute, pair.value);
	}
	free(warning);
	trm_error_destroy(error);
	record_model_destroy(seen.model);
}

/* Makes the checksums right, as far as the sizes in the headers lead from chunk to chunk.
 */
static void repair(uint8_t *data, size_t size)
{
	while (size >= TRM_HEADER_SIZE) {
		size_t stored = trm_get_u32(data + 8);

		if (stored > size - TRM_HEADER_SIZE) {
			stored = size - TRM_HEADER_SIZE;
			trm_put_u32(data + 8, (uint32_t)stored);
		}
		if (data[6] == TRM_PLAIN)
			trm_put_u32(data + 12, (uint32_t)stored);
		trm_put_u64(data + 16,
			    trm_checksum(data, data + TRM_HEADER_SIZE, stored));
		data += TRM_HEADER_SIZE + stored;
		size -= TRM_HEADER_SIZE + stored;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool file = size >= 4 && !memcmp(data, TRM_MAGIC, 4);
	size_t extra = file ? 0 : 2 * TRM_HEADER_SIZE;
	uint8_t *copy;

	if (size > 1 << 20)
		return 0;
	copy = calloc(1, size + extra + 1);
	must(copy);
	if (size)
		memcpy(copy + extra, data, size);
	if (file) {
		read_once(data, size);
	} else {
		memcpy(copy, TRM_MAGIC "H\1", 6);
		memcpy(copy + TRM_HEADER_SIZE, TRM_MAGIC "D", 5);
		trm_put_u32(copy + TRM_HEADER_SIZE + 8, (uint32_t)size);
	}
	repair(copy, size + extra);
	read_once(copy, size + extra);
	free(copy);
	return 0;
}
