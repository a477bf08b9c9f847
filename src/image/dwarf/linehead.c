#include "image/dwarf/linehead.h"

#include "image/dwarf/form.h"

enum { FIELDS_MAX = 64 }; /* of a file; more is damage */

/* How files, or folders, lie in the tables of version 5. */
struct fields {
	struct {
		uint64_t content, form;
	} items[FIELDS_MAX];
	size_t count;
};

static void read_fields(struct cursor *cursor, struct fields *fields)
{
	fields->count = cursor_u8(cursor);
	if (fields->count > FIELDS_MAX)
		cursor->failed = true;
	for (size_t i = 0; !cursor->failed && i < fields->count; i++) {
		fields->items[i].content = image_cursor_uleb(cursor);
		fields->items[i].form = image_cursor_uleb(cursor);
	}
}

/* Strings of a line table are not in the unit's entries. */
static const char *string_of(const struct dwarf_unit *unit, const struct cursor *cursor,
			     const uint8_t *start, const struct dwarf_value *value)
{
	if (value->form == DW_FORM_string)
		return cursor->failed ? NULL : (const char *)start;
	return dwarf_string_of(unit, value);
}

static struct dwarf_source read_source(const struct dwarf_unit *unit,
				       struct cursor *cursor, const struct fields *fields)
{
	struct dwarf_source source = {0};

	for (size_t i = 0; !cursor->failed && i < fields->count; i++) {
		const uint8_t *start = cursor->at;
		uint64_t form = fields->items[i].form;
		struct dwarf_value value;

		dwarf_form_read(cursor, unit, form > UINT16_MAX ? 0 : (uint32_t)form, 0,
				&value);
		if (fields->items[i].content == DW_LNCT_path)
			source.name = string_of(unit, cursor, start, &value);
		else if (fields->items[i].content == DW_LNCT_directory_index)
			source.folder = value.number;
	}
	return source;
}

/* How many folders or files follow: each has a byte at least. */
static uint64_t read_count(struct cursor *cursor)
{
	uint64_t count = image_cursor_uleb(cursor);

	if (count > cursor_left(cursor))
		cursor->failed = true;
	return cursor->failed ? 0 : count;
}

/* Folders and files as version 5 has them. */
static void read_new_tables(const struct dwarf_unit *unit, struct dwarf_line_head *head,
			    struct cursor *cursor)
{
	struct fields fields;
	uint64_t count;

	read_fields(cursor, &fields);
	count = read_count(cursor);
	for (uint64_t i = 0; i < count && !cursor->failed; i++)
		vector_push(&head->folders, read_source(unit, cursor, &fields).name);
	read_fields(cursor, &fields);
	count = read_count(cursor);
	for (uint64_t i = 0; i < count && !cursor->failed; i++)
		vector_push(&head->files, read_source(unit, cursor, &fields));
}

/* The same before it: folders up to an empty name, then files. */
static void read_old_tables(const struct dwarf_unit *unit, struct dwarf_line_head *head,
			    struct cursor *cursor)
{
	vector_push(&head->folders, unit->folder);
	vector_push(&head->files, ((struct dwarf_source){0}));
	while (!cursor->failed) {
		const char *name = image_cursor_string(cursor);

		if (!*name)
			break;
		vector_push(&head->folders, name);
	}
	while (!cursor->failed) {
		struct dwarf_source source = {.name = image_cursor_string(cursor)};

		if (!*source.name)
			break;
		source.folder = image_cursor_uleb(cursor);
		image_cursor_uleb(cursor); /* when it was changed */
		image_cursor_uleb(cursor); /* its size */
		vector_push(&head->files, source);
	}
}

static void read_head(const struct dwarf_unit *unit, struct dwarf_line_head *head,
		      struct cursor *cursor)
{
	struct dwarf_unit sizes = *unit; /* the table has its own */
	uint64_t length = cursor_number(cursor, 4);
	struct cursor program;

	sizes.offset_size = 4;
	if (length == UINT32_MAX) {
		sizes.offset_size = 8;
		length = cursor_number(cursor, 8);
	}
	cursor_limit(cursor, length);
	head->version = (uint16_t)cursor_number(cursor, 2);
	if (head->version >= 5) {
		sizes.address_size = cursor_u8(cursor);
		cursor_u8(cursor); /* the size of segment selectors */
		if (sizes.address_size != 4 && sizes.address_size != 8)
			cursor->failed = true;
	}
	head->offset_size = sizes.offset_size;
	length = cursor_number(cursor, sizes.offset_size);
	program = *cursor;
	cursor_skip(&program, length);
	cursor_limit(cursor, length);
	head->instruction_size = cursor_u8(cursor);
	if (head->version >= 4)
		cursor_u8(cursor); /* operations of one instruction: of other machines */
	cursor_u8(cursor);         /* whether rows are statements */
	head->line_base = (int8_t)cursor_u8(cursor);
	head->line_range = cursor_u8(cursor);
	head->opcode_base = cursor_u8(cursor);
	head->lengths =
		cursor_skip(cursor, head->opcode_base ? head->opcode_base - 1u : 0);
	if (head->version >= 5)
		read_new_tables(&sizes, head, cursor);
	else
		read_old_tables(unit, head, cursor);
	head->program = program;
	if (cursor->failed || program.failed || head->version < 2 || head->version > 5 ||
	    !head->line_range || !head->opcode_base)
		head->version = 0;
}

const struct dwarf_line_head *dwarf_line_head_of(struct dwarf_unit *unit)
{
	struct bytes section = unit->file->sections[DWARF_LINE];
	struct dwarf_line_head *head = &unit->head;

	if (head->read)
		return head;
	head->read = true;
	if (unit->line_offset >= section.size)
		return head;
	struct cursor cursor =
		cursor_over((struct bytes){section.data + unit->line_offset,
					   section.size - (size_t)unit->line_offset},
			    unit->line_offset);

	read_head(unit, head, &cursor);
	return head;
}

void dwarf_line_head_deinit(struct dwarf_line_head *head)
{
	vector_deinit(&head->folders);
	vector_deinit(&head->files);
}
