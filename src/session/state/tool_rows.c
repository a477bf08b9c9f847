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

/* The number of a text of the run's; without room UINT64_MAX if it is new. */
static uint64_t number_text(struct tool_shapes *shapes, const char *text)
{
	uint32_t number;

	if (string_table_find(&shapes->texts, text, &number))
		return number;
	if (is_full(shapes))
		return UINT64_MAX;
	shapes->bytes += strlen(text) + 4 * sizeof(uint64_t);
	return string_table_intern(&shapes->texts, text);
}

/* The number of the path of regions that a process has encoded: once, since the reader
 * looks for what the process said of itself. */
static uint64_t number_region(struct tool_shapes *shapes, struct tool_rows *rows,
			      const char *encoded, const struct tool_finder *finder)
{
	struct text text = {0};
	bool made;
	uint64_t *number =
		table_insert(&rows->regions, hash_bytes(encoded, strlen(encoded)), &made);

	if (!made)
		return *number;
	if (finder->region)
		finder->region(finder->context, encoded, &text);
	*number = number_text(shapes, text.length ? text.data : "?");
	text_deinit(&text);
	return *number;
}

/* Where a record's words are read. */
struct reading {
	struct tool_shapes *shapes;
	struct tool_rows *rows;
	const struct tool_finder *finder;
};

/* Takes the word of a field; false: the record is none. */
static bool take_word(const struct reading *reading, struct bytes_left *left,
		      uint8_t type, uint64_t *ret_word)
{
	char text[WIRE_FIELD_TEXT_MAX + 1];
	uint64_t word;

	if (!take_bytes(left, &word, sizeof(word)))
		return false;
	*ret_word = word;
	if (type == WIRE_FIELD_PC)
		*ret_word = reading->finder->code(reading->finder->context, word);
	if (type != WIRE_FIELD_TEXT && type != WIRE_FIELD_REGION)
		return true;
	if (word > WIRE_FIELD_TEXT_MAX || !take_bytes(left, text, (size_t)word))
		return false;
	text[word] = '\0';
	*ret_word = type == WIRE_FIELD_TEXT
			    ? number_text(reading->shapes, text)
			    : number_region(reading->shapes, reading->rows, text,
					    reading->finder);
	return true;
}

/* The words of a record; false: it is none. */
static bool read_words(const struct reading *reading, const struct tool_shape *shape,
		       struct bytes_left left, uint64_t *words)
{
	for (uint32_t i = 0; i < shape->count; i++)
		if (!take_word(reading, &left, shape->fields[i].type, &words[i]))
			return false;
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

static bool add_record(const struct reading *reading, const struct wire_tool_record *head,
		       struct bytes_left body)
{
	struct bytes_left shape = body, values = body;
	uint64_t words[WIRE_FIELDS_MAX];
	uint32_t number;

	if (head->fields > WIRE_FIELDS_MAX || head->shape_size > body.size)
		return false;
	shape.size = head->shape_size;
	values.at += shape.size;
	values.size -= shape.size;
	number = find_shape(reading->shapes, head, shape);
	if (number == UINT32_MAX ||
	    !read_words(reading, reading->shapes->items.items[number], values, words))
		return false;
	add_row(reading->shapes, reading->rows, number, words);
	return true;
}

void tool_rows_add(struct tool_shapes *shapes, struct tool_rows *rows,
		   const uint8_t *bytes, size_t size, const struct tool_finder *finder)
{
	const struct reading reading = {shapes, rows, finder};
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
		if (!add_record(&reading, &head, body))
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
	table_deinit(&rows->regions);
}

void tool_shapes_deinit(struct tool_shapes *shapes)
{
	vector_for_each (&shapes->items, shape)
		free_shape(*shape);
	vector_deinit(&shapes->items);
	table_deinit(&shapes->by_bytes);
	string_table_deinit(&shapes->texts);
}
