#include "libcontrol/records.h"

#include "libcontrol/objects.h"
#include "record/value.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct control_records *records_create(void)
{
	return memory_allocate_zeroed(1, sizeof(struct control_records));
}

void records_begin(struct control_records *records)
{
	vector_push(&records->begins, records->cells.count);
}

static bool has_text(enum record_type type)
{
	return type == RECORD_STRING || type == RECORD_BLOB;
}

void records_add(struct control_records *records, const char *name,
		 struct record_value value)
{
	struct records_cell cell = {.name = string_table_intern(&records->names, name),
				    .value = value};

	if (has_text(value.type)) {
		cell.text = records->bytes.count;
		vector_reserve(&records->bytes, records->bytes.count + value.size + 1);
		memcpy(records->bytes.items + cell.text, value.bytes, value.size);
		records->bytes.items[cell.text + value.size] = '\0';
		records->bytes.count += value.size + 1;
		cell.value.bytes = NULL;
	}
	vector_push(&records->cells, cell);
}

void records_nest(struct control_records *records)
{
	records->cells.items[records->cells.count - 1].nested = true;
}

struct trm_records *records_finish(struct control_records *records)
{
	return object_add(OBJECT_RECORDS, records);
}

static struct record_value value_of(const Trm__Field *field)
{
	switch (field->value_case) {
	case TRM__FIELD__VALUE_WHOLE:
		return record_int(field->whole);
	case TRM__FIELD__VALUE_NUMBER:
		return record_uint(field->number);
	case TRM__FIELD__VALUE_REAL:
		return (struct record_value){.type = RECORD_DOUBLE, .d = field->real};
	case TRM__FIELD__VALUE_FLAG:
		return (struct record_value){.type = RECORD_BOOL, .u = field->flag != 0};
	case TRM__FIELD__VALUE_ADDRESS:
		return record_address(field->address);
	case TRM__FIELD__VALUE_DATA:
		return (struct record_value){.type = RECORD_BLOB,
					     .size = field->data.len,
					     .bytes = (const char *)field->data.data};
	case TRM__FIELD__VALUE_TEXT:
		return record_string(field->text);
	default:
		return record_string("");
	}
}

struct trm_records *records_of_answer(const Trm__Answer *answer)
{
	struct control_records *records = records_create();

	for (size_t i = 0; i < answer->n_rows; i++) {
		records_begin(records);
		for (size_t k = 0; k < answer->rows[i]->n_fields; k++)
			records_add(records, answer->rows[i]->fields[k]->name,
				    value_of(answer->rows[i]->fields[k]));
	}
	return records_finish(records);
}

static struct trm_error *find_records(struct trm_records *ticket,
				      struct control_records **ret)
{
	void *object;

	TRM_TRY(object_find(ticket, OBJECT_RECORDS, &object));
	*ret = object;
	return NULL;
}

/* The cells of a record. */
static struct trm_error *find_record(struct trm_records *ticket, size_t record,
				     struct control_records **ret, size_t *ret_from,
				     size_t *ret_count)
{
	TRM_TRY(find_records(ticket, ret));
	if (record >= (*ret)->begins.count)
		return trm_error_create(TRM_ERROR_USAGE,
					"there is no record %zu: there are %zu", record,
					(*ret)->begins.count);
	*ret_from = (*ret)->begins.items[record];
	*ret_count = (record + 1 < (*ret)->begins.count ? (*ret)->begins.items[record + 1]
							: (*ret)->cells.count) -
		     *ret_from;
	return NULL;
}

static void set_number(struct trm_field *field, uint64_t number)
{
	field->kind = number > INT64_MAX ? TRM_FIELD_NUMBER : TRM_FIELD_INTEGER;
	field->number = number;
	field->integer = (int64_t)number;
	field->real = (double)number;
}

static void fill_value(const struct control_records *records,
		       const struct records_cell *cell, struct trm_field *field)
{
	const struct record_value *value = &cell->value;

	switch (value->type) {
	case RECORD_INT:
		field->kind = TRM_FIELD_INTEGER;
		field->integer = value->i;
		field->number = (uint64_t)value->i;
		field->real = (double)value->i;
		return;
	case RECORD_UINT:
		set_number(field, value->u);
		return;
	case RECORD_DOUBLE:
		field->kind = TRM_FIELD_REAL;
		field->real = value->d;
		return;
	case RECORD_BOOL:
		set_number(field, value->u != 0);
		field->kind = TRM_FIELD_FLAG;
		return;
	case RECORD_ADDRESS:
		set_number(field, value->u);
		field->kind = TRM_FIELD_ADDRESS;
		return;
	case RECORD_TYPE:
		field->kind = TRM_FIELD_TEXT;
		field->text = value->u < RECORD_TYPE_COUNT
				      ? record_type_name((enum record_type)value->u)
				      : "";
		field->text_size = strlen(field->text);
		return;
	default:
		field->kind =
			value->type == RECORD_BLOB ? TRM_FIELD_DATA : TRM_FIELD_TEXT;
		field->text = records->bytes.items + cell->text;
		field->text_size = value->size;
	}
}

/* NULL: there is none. */
static void fill_field(const struct control_records *records,
		       const struct records_cell *cell, struct trm_field *ret_field)
{
	struct trm_field field = {.size = ret_field->size, .text = ""};

	if (cell) {
		field.name = records->names.strings[cell->name];
		field.nested = cell->nested;
		fill_value(records, cell, &field);
	}
	memcpy(ret_field, &field,
	       field.size < sizeof(field) ? field.size : sizeof(field));
}

EXPORT struct trm_error *trm_records_count(struct trm_records *ticket, size_t *ret_count)
{
	struct control_records *records;

	TRM_TRY(find_records(ticket, &records));
	*ret_count = records->begins.count;
	return NULL;
}

EXPORT struct trm_error *trm_records_fields(struct trm_records *ticket, size_t record,
					    size_t *ret_count)
{
	struct control_records *records;
	size_t from, count;

	TRM_TRY(find_record(ticket, record, &records, &from, &count));
	*ret_count = count;
	return NULL;
}

EXPORT struct trm_error *trm_records_field(struct trm_records *ticket, size_t record,
					   size_t number, struct trm_field *ret_field)
{
	struct control_records *records;
	size_t from, count;

	TRM_TRY(find_record(ticket, record, &records, &from, &count));
	if (number >= count)
		return trm_error_create(TRM_ERROR_USAGE,
					"record %zu has no field %zu: it has %zu", record,
					number, count);
	fill_field(records, &records->cells.items[from + number], ret_field);
	return NULL;
}

EXPORT struct trm_error *trm_records_find(struct trm_records *ticket, size_t record,
					  const char *name, struct trm_field *ret_field)
{
	struct control_records *records;
	size_t from, count;
	uint32_t number;
	const struct records_cell *found = NULL;

	TRM_TRY(find_record(ticket, record, &records, &from, &count));
	if (string_table_find(&records->names, name, &number))
		for (size_t i = 0; i < count && !found; i++)
			if (records->cells.items[from + i].name == number)
				found = &records->cells.items[from + i];
	fill_field(records, found, ret_field);
	return NULL;
}

EXPORT void trm_records_release(struct trm_records *ticket)
{
	struct control_records *records = object_remove(ticket, OBJECT_RECORDS);

	if (!records)
		return;
	string_table_deinit(&records->names);
	vector_deinit(&records->cells);
	vector_deinit(&records->begins);
	vector_deinit(&records->bytes);
	free(records);
}
