#include "report/fields.h"

#include "record/model.h"

#include <string.h>

static const struct {
	const char *name;
	enum record_type type;
} field_forms[FIELD_COUNT] = {
	[FIELD_IMAGE] = {"image", RECORD_UINT},
	[FIELD_RUN] = {"run", RECORD_UINT},
	[FIELD_PROCESS] = {"process", RECORD_UINT},
	[FIELD_PARENT] = {"process.parent", RECORD_UINT},
	[FIELD_PROGRAM] = {"program", RECORD_STRING},
	[FIELD_THREADS] = {"threads", RECORD_UINT},
	[FIELD_STATE] = {"process.state", RECORD_STRING},
	[FIELD_REASON] = {"process.reason", RECORD_STRING},
	[FIELD_MODULE] = {"module", RECORD_STRING},
	[FIELD_PATH] = {"module.path", RECORD_STRING},
	[FIELD_BUILD_ID] = {"buildid", RECORD_STRING},
	[FIELD_KNOWN] = {"functions.known", RECORD_UINT},
	[FIELD_INSTRUMENTED] = {"functions.instrumented", RECORD_UINT},
	[FIELD_FUNCTION] = {"function", RECORD_STRING},
	[FIELD_OFFSET] = {"offset", RECORD_ADDRESS},
	[FIELD_CALLS] = {"calls", RECORD_UINT},
	[FIELD_RETURNED] = {"function.returned", RECORD_UINT},
	[FIELD_TAIL_CALLS] = {"function.tail_calls", RECORD_UINT},
	[FIELD_SKIP] = {"skip.reason", RECORD_STRING},
	[FIELD_PART] = {"part.offset", RECORD_ADDRESS},
	[FIELD_PART_REASON] = {"part.reason", RECORD_STRING},
	[FIELD_BLOCK] = {"block", RECORD_ADDRESS},
	[FIELD_BLOCK_SIZE] = {"block.size", RECORD_UINT},
	[FIELD_BLOCK_INSTRUCTIONS] = {"block.instructions", RECORD_UINT},
	[FIELD_BLOCK_COUNT] = {"count", RECORD_UINT},
	[FIELD_CALLER_PATH] = {"caller.path", RECORD_STRING},
	[FIELD_CALLER] = {"caller", RECORD_STRING},
	[FIELD_CALLER_OFFSET] = {"caller.offset", RECORD_ADDRESS},
	[FIELD_ARC_SITE] = {"arc.site", RECORD_ADDRESS},
	[FIELD_ARC_KIND] = {"arc.kind", RECORD_STRING},
	[FIELD_ARC_COUNT] = {"arc.count", RECORD_UINT},
	[FIELD_INTERVAL] = {"interval", RECORD_UINT},
	[FIELD_INTERVAL_START] = {"interval.start.ns", RECORD_UINT},
	[FIELD_INTERVAL_END] = {"interval.end.ns", RECORD_UINT},
	[FIELD_THREAD] = {"thread", RECORD_UINT},
	[FIELD_STAYED] = {"block.stayed", RECORD_INT},
	[FIELD_EDGE] = {"edge", RECORD_ADDRESS},
	[FIELD_EDGE_FROM] = {"edge.from", RECORD_ADDRESS},
	[FIELD_EDGE_TO] = {"edge.to", RECORD_ADDRESS},
	[FIELD_EDGE_KIND] = {"edge.kind", RECORD_STRING},
	[FIELD_FAULT] = {"flow.fault", RECORD_ADDRESS},
	[FIELD_PATH_IN] = {"path.in", RECORD_ADDRESS},
	[FIELD_PATH_NUMBER] = {"path", RECORD_UINT},
	[FIELD_PATH_TOTAL] = {"path.total", RECORD_UINT},
	[FIELD_PATH_BLOCKS] = {"path.blocks", RECORD_STRING},
	[FIELD_PATH_END] = {"path.end", RECORD_STRING},
	[FIELD_PATH_INSTRUCTIONS] = {"path.instructions", RECORD_UINT},
	[FIELD_PATH_COUNT] = {"path.count", RECORD_UINT},
	[FIELD_PATH_STEPS] = {"path.steps", RECORD_STRING},
	[FIELD_PATH_REASON] = {"path.reason", RECORD_STRING},
	[FIELD_TIME] = {"time.ns", RECORD_UINT},
	[FIELD_GRAPH_CALLS] = {"graph.calls", RECORD_UINT},
	[FIELD_GRAPH_NS] = {"graph.time.exclusive.ns", RECORD_UINT},
	[FIELD_PROBE] = {"probe.number", RECORD_UINT},
	[FIELD_TOOL] = {"tool.records", RECORD_UINT},
	[FIELD_LOADS] = {"function.loads", RECORD_UINT},
	[FIELD_STORES] = {"function.stores", RECORD_UINT},
	[FIELD_BYTES_LOADED] = {"function.loads.bytes", RECORD_UINT},
	[FIELD_BYTES_STORED] = {"function.stores.bytes", RECORD_UINT},
	[FIELD_EVENT] = {"event", RECORD_STRING},
	[FIELD_EVENT_SAMPLES] = {"event.samples", RECORD_UINT},
	[FIELD_SAMPLES] = {"samples", RECORD_UINT},
	[FIELD_SAMPLE_EVENTS] = {"sample.events", RECORD_UINT},
	[FIELD_SAMPLE_ADDRESS] = {"sample.address", RECORD_ADDRESS},
};

static uint8_t find_field(const struct record_model *model, record_attribute attribute)
{
	const char *name = record_attribute_name(model, attribute);
	enum record_type type = record_attribute_type(model, attribute);
	uint8_t field = 0;

	while (field < FIELD_COUNT && (strcmp(name, field_forms[field].name) != 0 ||
				       type != field_forms[field].type))
		field++;
	return field;
}

enum field fields_find(struct field_reader *reader, record_attribute attribute)
{
	while (reader->field_of.count <= attribute) {
		record_attribute next = (record_attribute)reader->field_of.count;

		vector_push(&reader->field_of, find_field(reader->model, next));
	}
	return (enum field)reader->field_of.items[attribute];
}

/* Which field a pair is that the row has not got yet; else FIELD_COUNT. */
static enum field new_field(struct field_reader *reader, record_attribute attribute)
{
	enum field field = field_of(reader, attribute);

	if (field == FIELD_COUNT || reader->row.present & BIT(field))
		return FIELD_COUNT;
	reader->row.present |= BIT(field);
	return field;
}

static bool is_alike(const struct field_reader *reader, const struct record_pair *pairs,
		     size_t count)
{
	if (pairs != reader->pairs || count != reader->attributes.count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (pairs[i].attribute != reader->attributes.items[i])
			return false;
	return true;
}

static void read_pairs(struct field_reader *reader, const struct record_pair *pairs,
		       size_t count)
{
	struct row *row = &reader->row;

	reader->pairs = pairs;
	reader->attributes.count = 0;
	row->present = 0;
	for (size_t i = 0; i < count; i++) {
		enum field field = new_field(reader, pairs[i].attribute);

		vector_push(&reader->attributes, pairs[i].attribute);
		if (field != FIELD_COUNT)
			row->values[field] = &pairs[i].value;
	}
	row->own = row->present;
}

const struct row *fields_read(struct field_reader *reader, record_node node,
			      const struct record_pair *pairs, size_t count)
{
	bool alike = is_alike(reader, pairs, count);

	if (alike && node == reader->node)
		return &reader->row;
	if (!alike)
		read_pairs(reader, pairs, count);
	reader->row.present = reader->row.own;
	reader->row.function = 0;
	reader->node = node;
	reader->whole = false;
	return &reader->row;
}

void fields_read_path(struct field_reader *reader)
{
	const uint64_t of_function = BIT(FIELD_MODULE) | BIT(FIELD_PATH);
	record_node node = reader->whole ? 0 : reader->node;

	for (; node; node = record_node_parent(reader->model, node)) {
		struct record_pair pair = record_node_pair(reader->model, node);
		enum field field = new_field(reader, pair.attribute);

		if (field == FIELD_COUNT)
			continue;
		reader->path[field] = pair.value;
		reader->row.values[field] = &reader->path[field];
		if (field == FIELD_FUNCTION && !(reader->row.present & of_function))
			reader->row.function = node;
	}
	reader->whole = true;
}

void field_reader_deinit(struct field_reader *reader)
{
	vector_deinit(&reader->field_of);
	vector_deinit(&reader->attributes);
}
