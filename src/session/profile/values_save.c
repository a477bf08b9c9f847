#include "session/profile/values_save.h"

#include "base/array.h"
#include "record/value.h"
#include "session/profile/tool_rows_save.h"
#include "session/state/region_path.h"
#include "x86/all_operands.h"

#include <stdio.h>
#include <string.h>
#include <trammel/values.h>

/* Rows of an image, and what it said of itself. */
struct values_rows {
	struct tool_rows rows;
	struct region_source regions;
};

/* A record of a tool under way, as struct wire_tool_record has it. */
struct made_record {
	const char *table;
	struct VECTOR(uint8_t) shape, values;
	uint16_t fields;
};

static void put_bytes(struct made_record *made, bool value, const void *bytes,
		      size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (value)
			vector_push(&made->values, ((const uint8_t *)bytes)[i]);
		else
			vector_push(&made->shape, ((const uint8_t *)bytes)[i]);
	}
}

static void put_field(struct made_record *made, uint8_t role, uint8_t type,
		      const char *name)
{
	const uint8_t head[] = {role, type};

	if (!made->fields)
		put_bytes(made, false, made->table, strlen(made->table) + 1);
	put_bytes(made, false, head, sizeof(head));
	put_bytes(made, false, name, strlen(name) + 1);
	made->fields++;
}

static void put_number(struct made_record *made, uint8_t role, uint8_t type,
		       const char *name, uint64_t number)
{
	put_field(made, role, type, name);
	put_bytes(made, true, &number, sizeof(number));
}

static void put_text(struct made_record *made, uint8_t type, const char *name,
		     const char *text)
{
	const uint64_t size = strlen(text);

	put_field(made, WIRE_FIELD_KEY, type, name);
	put_bytes(made, true, &size, sizeof(size));
	put_bytes(made, true, text, (size_t)size);
}

static uint64_t same_number(void *context, uint64_t number)
{
	(void)context;
	return number;
}

static void add_region(void *context, const char *encoded, struct text *text)
{
	region_path_add(context, encoded, text);
}

static void finish_record(struct made_record *made, struct session *session,
			  struct values_rows *rows)
{
	const struct wire_tool_record head = {
		.size = (uint32_t)(sizeof(head) + made->shape.count + made->values.count),
		.tool = TOOL_ROWS_VALUES,
		.fields = made->fields,
		.shape_size = (uint32_t)made->shape.count,
	};
	struct VECTOR(uint8_t) all = {0};

	vector_reserve(&all, head.size);
	memcpy(all.items, &head, sizeof(head));
	memcpy(all.items + sizeof(head), made->shape.items, made->shape.count);
	memcpy(all.items + sizeof(head) + made->shape.count, made->values.items,
	       made->values.count);
	tool_rows_add(
		&session->tool_shapes, &rows->rows, all.items, head.size,
		&(const struct tool_finder){same_number, add_region, &rows->regions});
	vector_deinit(&all);
	vector_deinit(&made->shape);
	vector_deinit(&made->values);
}

static const char *const kinds[VALUE_KINDS] = {
	[VALUE_RESULT] = "result",   [VALUE_LOAD] = "load",     [VALUE_STORE] = "store",
	[VALUE_ADDRESS] = "address", [VALUE_TARGET] = "target", [VALUE_TICKS] = "ticks",
	[VALUE_REPLAY] = "replay",
};

static void begin_record(struct made_record *made, const struct session *session,
			 const char *table, const struct value_key *key)
{
	char what[32];

	if (key->of == VALUE_OWN)
		snprintf(what, sizeof(what), "%s",
			 session->values.texts.strings[key->text - 1]);
	else if (key->of == VALUE_RESULT)
		snprintf(what, sizeof(what), "%s",
			 all_operands_register_name(key->number));
	else if (key->of == VALUE_TARGET)
		snprintf(what, sizeof(what), "branch");
	else
		snprintf(what, sizeof(what), "memory%s", key->number ? "2" : "");
	*made = (struct made_record){.table = table};
	put_number(made, WIRE_FIELD_KEY, WIRE_FIELD_PC, "code", key->code);
	put_number(made, WIRE_FIELD_KEY, WIRE_FIELD_INT, "at",
		   tool_code_address(key->code));
	put_text(made, WIRE_FIELD_TEXT, "kind",
		 key->of == VALUE_OWN ? session->options->values.profiler->name
				      : kinds[key->of]);
	put_text(made, WIRE_FIELD_TEXT, "what", what);
	if (session->options->context.what)
		put_text(made, WIRE_FIELD_REGION, "region.path",
			 key->region ? session->values.regions.strings[key->region - 1]
				     : "");
}

static void add_totals(struct session *session, const struct value_row *row,
		       struct values_rows *rows)
{
	struct made_record made;
	const struct {
		const char *name;
		uint64_t number;
	} numbers[] = {{"seen", row->seen},
		       {"zeros", row->zeros},
		       {"pairs", row->pairs},
		       {"same", row->same}};

	begin_record(&made, session, "instructions", &row->key);
	for (size_t i = 0; i < array_count(numbers); i++)
		put_number(&made, WIRE_FIELD_SUM, WIRE_FIELD_INT, numbers[i].name,
			   numbers[i].number);
	finish_record(&made, session, rows);
}

static void add_counts(struct session *session, const char *table,
		       const struct value_row *row, const struct value_count *list,
		       size_t size, struct values_rows *rows)
{
	for (size_t i = 0; i < size && list[i].count; i++) {
		struct made_record made;
		const bool code = row->key.of == VALUE_TARGET && list == row->top &&
				  list[i].value >> 48;

		begin_record(&made, session, table, &row->key);
		put_number(&made, WIRE_FIELD_KEY, WIRE_FIELD_INT, "value",
			   code ? tool_code_address(list[i].value) : list[i].value);
		put_number(&made, WIRE_FIELD_SUM, WIRE_FIELD_INT, "times", list[i].count);
		finish_record(&made, session, rows);
	}
}

void values_save(struct profile_writer *writer, const struct image_run *image)
{
	struct values_rows rows = {
		.regions = {.folder = writer->session->options->context.folder,
			    .pid = image->pid,
			    .since_ns = image->start_ns}};

	vector_for_each (&image->values.rows, row) {
		add_totals(writer->session, row, &rows);
		add_counts(writer->session, "values", row, row->top, VALUE_TOP, &rows);
		if (row->key.of < VALUE_TARGET)
			add_counts(writer->session, "strides", row, row->strides,
				   VALUE_STRIDES, &rows);
	}
	tool_rows_save_list(writer, image, &rows.rows);
	tool_rows_deinit(&rows.rows);
	region_source_deinit(&rows.regions);
}

struct trm_error *values_save_globals(struct profile_writer *writer)
{
	const struct values_state *values = &writer->session->values;
	const struct session_values *options = &writer->session->options->values;
	const struct {
		const char *name;
		uint64_t number;
	} rows[] = {
		{"values.ninterpret", options->length},
		{"values.vfreq", options->every},
		{"values.seed", options->seed},
		{"values.interrupts", values->interrupts},
		{"values.stretches", values->stretches},
		{"values.instructions", values->steps},
		{"values.cut_short", values->cut_short},
		{"values.at_calls", values->ended[STRETCH_SYSTEM_CALL]},
		{"values.not_copied", values->ended[STRETCH_LEFT_ALONE]},
		{"values.code_changed", values->ended[STRETCH_CODE_CHANGED]},
		{"values.generated", values->generated},
		{"values.in_calls", values->in_calls},
		{"values.elsewhere", values->elsewhere},
		{"values.crowded", values->crowded},
	};

	for (size_t i = 0; options->on && i < array_count(rows); i++)
		TRM_TRY(profile_writer_global(writer, rows[i].name,
					      record_uint(rows[i].number)));
	return NULL;
}
