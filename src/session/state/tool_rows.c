#include "session/state/tool_rows.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that a row takes beside its words, with its part of the table. */
enum { ROW_BYTES = sizeof(struct tool_row) + 4 * sizeof(uint64_t) };

/* What of a record has not been read yet. */
struct bytes_left {
	const uint8_t *at;
	size_t size;
};

static bool take_bytes(struct bytes_left *left, void *to, size_t size)
{
	if (size > left->size)
		return false;
	memcpy(to, left->at, size);
	left->at += size;
	left->size -= size;
	return true;
}

/* A text with its end; NULL: there is none. */
static const char *take_name(struct bytes_left *left)
{
	const char *name = (const char *)left->at;
	size_t length = strnlen(name, left->size);

	if (!length || length == left->size || length > WIRE_FIELD_NAME_MAX)
		return NULL;
	left->at += length + 1;
	left->size -= length + 1;
	return name;
}

static void free_shape(struct tool_shape *shape)
{
	for (uint32_t i = 0; i < shape->count; i++)
		free(shape->fields[i].name);
	free(shape->table);
	free(shape);
}

static bool is_field(const struct tool_field *field)
{
	if (field->role > WIRE_FIELD_MOST || field->type >= WIRE_FIELD_TYPES)
		return false;
	if (field->type == WIRE_FIELD_INT)
		return true;
	return field->role ==
	       (field->type == WIRE_FIELD_FLOAT ? WIRE_FIELD_SUM : WIRE_FIELD_KEY);
}

static struct tool_shape *read_shape(const struct wire_tool_record *head,
				     struct bytes_left left)
{
	struct tool_shape *shape = memory_allocate_zeroed(1, sizeof(*shape));
	const char *table = take_name(&left);

	shape->tool = head->tool;
	shape->table = table ? memory_copy_string(table) : NULL;
	for (uint32_t i = 0; table && i < head->fields; i++) {
		struct tool_field field = {0};
		const char *name = take_bytes(&left, &field.role, 1) &&
						   take_bytes(&left, &field.type, 1)
					   ? take_name(&left)
					   : NULL;

		if (!name || !is_field(&field))
			break;
		field.name = memory_copy_string(name);
		shape->fields[shape->count++] = field;
	}
	if (table && shape->count == head->fields && !left.size)
		return shape;
	free_shape(shape);
	return NULL;
}

/* The index of the shape of a record; UINT32_MAX: it has none. */
static uint32_t find_shape(struct tool_shapes *shapes,
			   const struct wire_tool_record *head, struct bytes_left left)
{
	const uint64_t hash = hash_bytes(left.at, left.size) + head->tool;
	struct tool_shape *shape;
	uint64_t index;

	if (table_find(&shapes->by_bytes, hash, &index))
		return shapes->items.items[index]->count == head->fields ? (uint32_t)index
									 : UINT32_MAX;
	shape = read_shape(head, left);
	if (!shape)
		return UINT32_MAX;
	*table_insert(&shapes->by_bytes, hash, NULL) = shapes->items.count;
	vector_push(&shapes->items, shape);
	return (uint32_t)(shapes->items.count - 1);
}

static bool is_full(const struct tool_shapes *shapes)
{
	return shapes->bytes >= TOOL_ROWS_BYTES_MAX;
}

/* Takes a text of the run's; false: the record is none. Without room its number is
 * UINT64_MAX if it is new. */
static bool take_text(struct tool_shapes *shapes, struct bytes_left *left,
		      uint64_t length, uint64_t *ret_number)
{
	char text[WIRE_FIELD_TEXT_MAX + 1];
	uint32_t number;

	if (length > WIRE_FIELD_TEXT_MAX || !take_bytes(left, text, (size_t)length))
		return false;
	text[length] = '\0';
	*ret_number = UINT64_MAX;
	if (string_table_find(&shapes->texts, text, &number)) {
		*ret_number = number;
	} else if (!is_full(shapes)) {
		*ret_number = string_table_intern(&shapes->texts, text);
		shapes->bytes += length + 4 * sizeof(uint64_t);
	}
	return true;
}

/* The words of a record; false: it is none. */
static bool read_words(struct tool_shapes *shapes, const struct tool_shape *shape,
		       struct bytes_left left, uint64_t *words)
{
	for (uint32_t i = 0; i < shape->count; i++) {
		if (!take_bytes(&left, &words[i], sizeof(words[i])))
			return false;
		if (shape->fields[i].type == WIRE_FIELD_TEXT &&
		    !take_text(shapes, &left, words[i], &words[i]))
			return false;
	}
	return !left.size;
}

static bool has_keys(const struct tool_shape *shape, const uint64_t *row,
		     const uint64_t *words)
{
	for (uint32_t i = 0; i < shape->count; i++)
		if (shape->fields[i].role == WIRE_FIELD_KEY && row[i] != words[i])
			return false;
	return true;
}

static uint64_t hash_keys(const struct tool_shape *shape, uint32_t number,
			  const uint64_t *words)
{
	uint64_t keys[WIRE_FIELDS_MAX + 1] = {number};
	size_t count = 1;

	for (uint32_t i = 0; i < shape->count; i++)
		if (shape->fields[i].role == WIRE_FIELD_KEY)
			keys[count++] = words[i];
	return hash_bytes(keys, count * sizeof(keys[0]));
}

static void add_double(uint64_t *word, uint64_t bits)
{
	double sum, more;

	memcpy(&sum, word, sizeof(sum));
	memcpy(&more, &bits, sizeof(more));
	sum += more;
	memcpy(word, &sum, sizeof(sum));
}

/* Adds the numbers of a record to those of its row. */
static void add_numbers(const struct tool_shape *shape, uint64_t *row,
			const uint64_t *words)
{
	for (uint32_t i = 0; i < shape->count; i++) {
		const struct tool_field *field = &shape->fields[i];
		const bool less = (int64_t)words[i] < (int64_t)row[i];

		if (field->role == WIRE_FIELD_KEY)
			continue;
		if (field->type == WIRE_FIELD_FLOAT)
			add_double(&row[i], words[i]);
		else if (field->role == WIRE_FIELD_SUM)
			row[i] += words[i];
		else if ((field->role == WIRE_FIELD_LEAST) == less)
			row[i] = words[i];
	}
}

/* The row of a record; NULL: there is none yet, and `ret_hash` is a free place. */
static struct tool_row *find_row(const struct tool_shape *shape, struct tool_rows *rows,
				 uint32_t number, const uint64_t *words,
				 uint64_t *ret_hash)
{
	uint64_t hash = hash_keys(shape, number, words), index;

	for (; table_find(&rows->by_keys, hash, &index); hash++) {
		struct tool_row *row = &rows->items.items[index];

		if (row->shape == number &&
		    has_keys(shape, rows->words.items + row->first, words))
			return row;
	}
	*ret_hash = hash;
	return NULL;
}

static void add_row(struct tool_shapes *shapes, struct tool_rows *rows, uint32_t number,
		    const uint64_t *words)
{
	const struct tool_shape *shape = shapes->items.items[number];
	uint64_t hash;
	struct tool_row *row = find_row(shape, rows, number, words, &hash);

	if (row) {
		add_numbers(shape, rows->words.items + row->first, words);
		row->times++;
		return;
	}
	if (is_full(shapes)) {
		shapes->lost++;
		return;
	}
	shapes->bytes += ROW_BYTES + shape->count * sizeof(*words);
	*table_insert(&rows->by_keys, hash, NULL) = rows->items.count;
	vector_push(&rows->items, ((struct tool_row){number, rows->words.count, 1}));
	for (uint32_t i = 0; i < shape->count; i++)
		vector_push(&rows->words, words[i]);
}

static bool add_record(struct tool_shapes *shapes, struct tool_rows *rows,
		       const struct wire_tool_record *head, struct bytes_left body,
		       tool_find_code *find, void *context)
{
	struct bytes_left shape = body, values = body;
	uint64_t words[WIRE_FIELDS_MAX];
	uint32_t number;

	if (head->fields > WIRE_FIELDS_MAX || head->shape_size > body.size)
		return false;
	shape.size = head->shape_size;
	values.at += shape.size;
	values.size -= shape.size;
	number = find_shape(shapes, head, shape);
	if (number == UINT32_MAX ||
	    !read_words(shapes, shapes->items.items[number], values, words))
		return false;
	for (uint32_t i = 0; i < head->fields; i++)
		if (shapes->items.items[number]->fields[i].type == WIRE_FIELD_PC)
			words[i] = find(context, words[i]);
	add_row(shapes, rows, number, words);
	return true;
}

void tool_rows_add(struct tool_shapes *shapes, struct tool_rows *rows,
		   const uint8_t *bytes, size_t size, tool_find_code *find, void *context)
{
	struct bytes_left left = {bytes, size};

	while (left.size) {
		struct bytes_left body = left;
		struct wire_tool_record head;

		if (!take_bytes(&body, &head, sizeof(head)) || head.size < sizeof(head) ||
		    head.size > left.size) {
			shapes->bad++;
			return;
		}
		body.size = head.size - sizeof(head);
		if (!add_record(shapes, rows, &head, body, find, context))
			shapes->bad++;
		left.at += head.size;
		left.size -= head.size;
	}
}

void tool_rows_deinit(struct tool_rows *rows)
{
	vector_deinit(&rows->items);
	vector_deinit(&rows->words);
	table_deinit(&rows->by_keys);
}

void tool_shapes_deinit(struct tool_shapes *shapes)
{
	vector_for_each (&shapes->items, shape)
		free_shape(*shape);
	vector_deinit(&shapes->items);
	table_deinit(&shapes->by_bytes);
	string_table_deinit(&shapes->texts);
}
