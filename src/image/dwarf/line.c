#include "image/dwarf/line.h"

#include "base/cleanup.h"
#include "image/clean_path.h"
#include "image/dwarf/linehead.h"

/* A line table being run. */
struct machine {
	const struct dwarf_line_head *head;
	struct cursor cursor;
	uint8_t address_size;
	struct dwarf_row row;
	void (*see)(void *context, const struct dwarf_row *row);
	void *context;
};

static void begin_sequence(struct machine *machine)
{
	machine->row = (struct dwarf_row){.file = 1, .line = 1};
}

static void emit_row(struct machine *machine)
{
	machine->see(machine->context, &machine->row);
	machine->row.discriminator = 0;
}

static void advance_machine(struct machine *machine, uint64_t operations)
{
	machine->row.address += operations * machine->head->instruction_size;
}

static void run_extended(struct machine *machine)
{
	uint64_t size = image_cursor_uleb(&machine->cursor);
	struct cursor inner = machine->cursor;

	if (!cursor_skip(&machine->cursor, size) || !size)
		return;
	cursor_limit(&inner, size);
	switch (cursor_u8(&inner)) {
	case DW_LNE_end_sequence:
		machine->row.end = true;
		emit_row(machine);
		begin_sequence(machine);
		break;
	case DW_LNE_set_address:
		machine->row.address = cursor_number(&inner, size > 9 ? 8 : size - 1);
		break;
	case DW_LNE_set_discriminator:
		machine->row.discriminator = image_cursor_uleb(&inner);
		break;
	default:
		break;
	}
}

/* An opcode that is a change of address and line, and then a row. */
static void run_special(struct machine *machine, uint8_t opcode)
{
	const struct dwarf_line_head *head = machine->head;
	uint8_t number = (uint8_t)(opcode - head->opcode_base);

	advance_machine(machine, number / head->line_range);
	machine->row.line +=
		(uint64_t)(int64_t)(head->line_base + number % head->line_range);
	emit_row(machine);
}

static void run_standard(struct machine *machine, uint8_t opcode)
{
	const struct dwarf_line_head *head = machine->head;
	struct cursor *cursor = &machine->cursor;

	switch ((enum dwarf_line_opcode)opcode) {
	case DW_LNS_extended:
		run_extended(machine);
		break;
	case DW_LNS_copy:
		emit_row(machine);
		break;
	case DW_LNS_advance_pc:
		advance_machine(machine, image_cursor_uleb(cursor));
		break;
	case DW_LNS_advance_line:
		machine->row.line += (uint64_t)image_cursor_sleb(cursor);
		break;
	case DW_LNS_set_file:
		machine->row.file = image_cursor_uleb(cursor);
		break;
	case DW_LNS_const_add_pc:
		advance_machine(machine, (255u - head->opcode_base) / head->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		machine->row.address += cursor_number(cursor, 2);
		break;
	case DW_LNS_set_column:
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
	default: /* and those that are not known */
		for (uint8_t i = 0; i < head->lengths[opcode - 1]; i++)
			image_cursor_uleb(cursor);
		break;
	}
}

void dwarf_unit_rows(struct dwarf_unit *unit,
		     void (*see)(void *context, const struct dwarf_row *row),
		     void *context)
{
	const struct dwarf_line_head *head = dwarf_line_head_of(unit);
	struct machine machine = {
		.head = head, .cursor = head->program, .see = see, .context = context};

	if (!head->version)
		return;
	begin_sequence(&machine);
	while (!machine.cursor.failed && cursor_left(&machine.cursor)) {
		uint8_t opcode = cursor_u8(&machine.cursor);

		if (opcode >= head->opcode_base)
			run_special(&machine, opcode);
		else
			run_standard(&machine, opcode);
	}
}

char *dwarf_unit_path(struct dwarf_unit *unit, uint64_t file)
{
	/* Compilers number the files of a split unit as in its skeleton's table. */
	if (unit->skeleton && unit->line_offset == UINT64_MAX)
		unit = unit->skeleton;
	const struct dwarf_line_head *head = dwarf_line_head_of(unit);

	if (!head->version || file >= head->files.count || !head->files.items[file].name)
		return NULL;
	const struct dwarf_source *source = &head->files.items[file];
	const char *folder = source->folder < head->folders.count
				     ? head->folders.items[source->folder]
				     : NULL;

	if (!folder || *source->name == '/')
		return image_clean_path(unit->folder, source->name);
	/* Folder 0 is the unit's; others may be relative to it. */
	scoped_free char *whole =
		source->folder ? image_clean_path(unit->folder, folder) : NULL;

	return image_clean_path(whole ? whole : folder, source->name);
}
