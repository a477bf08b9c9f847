#include "tool/routine.h"

#include "base/table.h"
#include "image/contents.h"
#include "x86/decode.h"
#include "x86/insn_class.h"
#include "x86/operands.h"

#include <string.h>

/* A routine with more code is not looked at any further. */
enum { INSTRUCTIONS_MAX = 20000, LONGEST = 15 };

#define ALL_BUT_RSP ((uint16_t) ~(1u << 4))

/* A look at code: what was found, and where it is still to be looked. */
struct inspection {
	const struct image *image;
	struct recipe_routine found;
	bool unknown;      /* control may go to where we do not look */
	struct table seen; /* addresses, looked at or in `next` */
	bool complex;      /* see recipe_routine.simple */
	size_t count;      /* instructions */
	struct VECTOR(uint64_t) next;
};

static bool is_in(const struct image_ranges *ranges, uint64_t address)
{
	vector_for_each (ranges, range)
		if (address >= range->start && address < range->end)
			return true;
	return false;
}

/* Whether an address was not looked at yet; from now on it was. */
static bool is_new(struct inspection *inspection, uint64_t address)
{
	uint64_t *seen = table_insert(&inspection->seen, address, NULL);
	const bool new = !*seen;

	*seen = 1;
	return new;
}

/* Has the code at an address looked at, too. */
static void add_place(struct inspection *inspection, uint64_t address)
{
	if (is_in(&inspection->image->plt, address))
		inspection->unknown = true;
	else if (is_new(inspection, address))
		vector_push(&inspection->next, address);
}

/* What vectors, x87 and classes that say little are. */
static void note_class(struct inspection *inspection, uint8_t class)
{
	if (class == INSN_OTHER || class == INSN_SYSTEM)
		inspection->unknown = true;
	else if (class >= INSN_VECTOR_MOVE && class <= INSN_CRYPTO)
		inspection->found.vectors = true;
}

static void note_operands(struct inspection *inspection, const struct operands *operands)
{
	inspection->found.changes |= operands->changed & ALL_BUT_RSP;
	for (unsigned i = 0; i < operands->memory_count; i++)
		if (operands->memory[i].segment != OPERANDS_NO_SEGMENT)
			inspection->found.thread_pointer = true;
}

/* Notes what must not be in a routine that is called directly. */
static void note_complex(struct inspection *inspection,
			 const struct instruction *instruction, uint8_t class,
			 const struct operands *operands)
{
	const uint16_t stack_pointer = 1u << 4;

	switch (instruction->kind) {
	case INSTRUCTION_RETURN:
		return;
	case INSTRUCTION_PLAIN:
		break;
	case INSTRUCTION_CONDITION:
	case INSTRUCTION_JUMP:
		inspection->complex |= instruction->target <= instruction->address;
		break;
	default:
		inspection->complex = true;
	}
	inspection->complex |= class == INSN_STRING || class == INSN_STACK ||
			       (operands->read | operands->changed) & stack_pointer;
}

/* Follows control from an instruction; returns whether it falls through. */
static bool follow_control(struct inspection *inspection,
			   const struct instruction *instruction)
{
	switch (instruction->kind) {
	case INSTRUCTION_PLAIN:
		return true;
	case INSTRUCTION_CONDITION:
	case INSTRUCTION_LOOP:
	case INSTRUCTION_CALL:
		add_place(inspection, instruction->target);
		return true;
	case INSTRUCTION_JUMP:
		add_place(inspection, instruction->target);
		return false;
	case INSTRUCTION_RETURN:
		return false;
	default:
		inspection->unknown = true;
		return false;
	}
}

/* Looks at code from an address on, until it goes elsewhere. */
static void look_from(struct inspection *inspection, uint64_t address)
{
	bool goes_on = true;

	while (goes_on && !inspection->unknown) {
		const struct bytes bytes = image_bytes_from(inspection->image, address);
		struct instruction instruction;
		struct insn_class class;
		struct operands operands;

		if (++inspection->count > INSTRUCTIONS_MAX ||
		    !decode_instruction(bytes.data, bytes.size, address, &instruction) ||
		    !insn_class_read(bytes.data, bytes.size, &class) ||
		    !operands_read(bytes.data, bytes.size, &operands)) {
			inspection->unknown = true;
			return;
		}
		note_class(inspection, class.class);
		note_operands(inspection, &operands);
		note_complex(inspection, &instruction, class.class, &operands);
		goes_on = follow_control(inspection, &instruction);
		address += instruction.length;
		if (goes_on && !is_new(inspection, address))
			return;
	}
}

static bool find_address(const struct image *image, const char *name,
			 uint64_t *ret_address)
{
	vector_for_each (&image->functions, function) {
		if (strcmp(image->names.items + function->name, name) != 0 ||
		    function->flags & IMAGE_FUNCTION_IFUNC)
			continue;
		*ret_address = function->address;
		return true;
	}
	return false;
}

struct recipe_routine routine_inspect(const struct image *image, const char *name)
{
	struct inspection inspection = {.image = image};
	uint64_t address;

	if (find_address(image, name, &address))
		add_place(&inspection, address);
	else
		inspection.unknown = true;
	while (inspection.next.count && !inspection.unknown)
		look_from(&inspection, inspection.next.items[--inspection.next.count]);
	inspection.found.known = !inspection.unknown;
	inspection.found.simple = !inspection.complex && !inspection.found.vectors &&
				  !inspection.found.thread_pointer;
	if (inspection.unknown)
		inspection.found = (struct recipe_routine){
			.changes = ALL_BUT_RSP, .vectors = true, .thread_pointer = true};
	vector_deinit(&inspection.next);
	table_deinit(&inspection.seen);
	return inspection.found;
}
