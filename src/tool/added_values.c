#include "tool/added_values.h"

#include "code/points/point_data.h"
#include "code/points/recipe_state.h"
#include "tool/switch_index.h"
#include "x86/operands.h"

enum { WORDS_OF_OPERAND = 2 }; /* its address, and a number of bytes */

/* The instruction's bytes: of a pair, those of the second one. */
static const uint8_t *bytes_of(const struct cfg *cfg, uint32_t number, size_t *ret_size)
{
	const struct cfg_instruction *row = &cfg->instructions.items[number];
	uint32_t lead = cfg_is_pair(cfg, row) ? LENGTH_PAIR_BRANCH : 0;

	*ret_size = row->length - lead;
	return cfg->bytes + row->offset + lead;
}

static bool read_operand(const struct cfg *cfg, uint32_t number, unsigned int operand,
			 struct operands *all, struct recipe_operand *ret_operand)
{
	struct recipe_operand operands[RECIPE_OPERANDS_MAX];
	size_t size, count;
	const uint8_t *bytes;

	if (number >= cfg->instructions.count)
		return false;
	bytes = bytes_of(cfg, number, &size);
	count = recipe_operands(bytes, size, operands);
	if (operand >= count || !operands_read(bytes, size, all))
		return false;
	*ret_operand = operands[operand];
	return true;
}

/* Whether the address of an operand is not known behind the instruction. */
static bool loses_address(const struct operands *all, unsigned int operand)
{
	const struct operands_memory *memory = &all->memory[operand];
	uint32_t names = 0;

	if (memory->base >= 0 && memory->base < OPERANDS_RIP)
		names |= 1u << memory->base;
	if (memory->index >= 0)
		names |= 1u << memory->index;
	if (all->stack_change)
		names &= ~(1u << RSP);
	return (names & all->changed) || (memory->stack && !all->stack_change);
}

static bool needs_words(const struct cfg *cfg, uint32_t number,
			const struct trammel_argument *argument)
{
	struct recipe_operand operand;
	struct operands all;

	if (argument->kind != TRAMMEL_ADDRESS && argument->kind != TRAMMEL_SIZE &&
	    argument->kind != TRAMMEL_MEMORY)
		return false;
	if (!read_operand(cfg, number, argument->number, &all, &operand))
		return false;
	return operand.repeated ||
	       (argument->kind != TRAMMEL_SIZE && loses_address(&all, argument->number));
}

/* One of its arguments is about such an operand: both words are of the last of these. */
static const struct trammel_argument *
argument_with_words(const struct cfg *cfg, uint32_t number, const struct added *item)
{
	for (size_t i = 0; i < item->count; i++)
		if (needs_words(cfg, number, &item->arguments[i]))
			return &item->arguments[i];
	return NULL;
}

uint8_t added_values_words(const struct cfg *cfg, uint32_t number,
			   const struct added *item)
{
	return argument_with_words(cfg, number, item) ? WORDS_OF_OPERAND : 0;
}

/* Bytes that a repeated instruction accesses from here on: rcx times the unit. */
static void load_bytes(struct recipe *recipe, int to,
		       const struct recipe_operand *operand)
{
	recipe_value(recipe, to,
		     (struct recipe_value){.kind = RECIPE_REGISTER, .number = RCX});
	recipe_compute_constant(recipe, RECIPE_TIMES, to, operand->unit);
}

void added_values_fill(const struct added_place *place, struct recipe *recipe)
{
	const struct trammel_argument *argument =
		argument_with_words(place->cfg, place->number, place->item);
	int number = recipe_take(recipe);
	struct recipe_operand operand;
	struct operands all;

	if (argument &&
	    read_operand(place->cfg, place->number, argument->number, &all, &operand)) {
		recipe_value(recipe, number,
			     (struct recipe_value){.kind = RECIPE_ADDRESS,
						   .number = (uint8_t)argument->number});
		recipe_store_word(recipe, place->item->slot, number);
		if (operand.repeated) {
			load_bytes(recipe, number, &operand);
			recipe_store_word(recipe, place->item->slot + 1, number);
		}
	}
	recipe_give_back(recipe, number);
}

/* A size: fixed; or of a repeated instruction, in front of it what it is going to access,
 * behind it what it has. */
static struct recipe_value load_size(const struct added_place *place,
				     struct recipe *recipe, unsigned int number,
				     int *ret_taken)
{
	struct recipe_operand operand = {0};
	struct operands all;
	int rest;

	/* The instruction has no such operand: there is no address of it, either. */
	if (!read_operand(place->cfg, place->number, number, &all, &operand))
		return (struct recipe_value){.kind = RECIPE_ADDRESS,
					     .number = RECIPE_OPERANDS_MAX};
	if (!operand.repeated)
		return (struct recipe_value){.kind = RECIPE_CONSTANT,
					     .constant = operand.size};
	*ret_taken = recipe_take(recipe);
	if (place->item->where != ADDED_AFTER) {
		load_bytes(recipe, *ret_taken, &operand);
		return recipe_taken(*ret_taken);
	}
	rest = recipe_take(recipe);
	load_bytes(recipe, rest, &operand);
	recipe_load_word(recipe, *ret_taken, place->item->slot + 1);
	recipe_compute(recipe, RECIPE_MINUS, *ret_taken, rest);
	recipe_give_back(recipe, rest);
	return recipe_taken(*ret_taken);
}

static struct recipe_value load_address(const struct added_place *place,
					struct recipe *recipe,
					const struct trammel_argument *argument,
					int *ret_taken)
{
	struct recipe_operand operand;
	struct operands all;

	if (read_operand(place->cfg, place->number, argument->number, &all, &operand) &&
	    operand.gathered)
		return (struct recipe_value){.kind = RECIPE_CONSTANT};
	if (!place->item->words || !needs_words(place->cfg, place->number, argument))
		return (struct recipe_value){.kind = RECIPE_ADDRESS,
					     .number = (uint8_t)argument->number};
	*ret_taken = recipe_take(recipe);
	recipe_load_word(recipe, *ret_taken, place->item->slot);
	return recipe_taken(*ret_taken);
}

/* What is in memory at an address that is kept in a word. */
static struct recipe_value load_memory(const struct added_place *place,
				       struct recipe *recipe,
				       const struct trammel_argument *argument,
				       int *ret_taken)
{
	struct recipe_value value = {.kind = RECIPE_LOADED,
				     .number = (uint8_t)argument->number,
				     .size = (uint8_t)argument->size};
	struct recipe_operand operand;
	struct operands all;
	int base, end;
	unsigned int size;

	if (!place->item->words || !needs_words(place->cfg, place->number, argument) ||
	    !read_operand(place->cfg, place->number, argument->number, &all, &operand))
		return value;
	size = argument->size ? argument->size : operand.unit;
	*ret_taken = recipe_take(recipe);
	base = recipe_take(recipe);
	end = recipe_label(recipe);
	recipe_load_word(recipe, base, place->item->slot);
	recipe_compute_constant(recipe, RECIPE_MOVE, *ret_taken, 0);
	recipe_load(recipe, *ret_taken, base, 0, size > 8 ? 8 : size, false, end);
	recipe_place_label(recipe, end);
	recipe_give_back(recipe, base);
	return recipe_taken(*ret_taken);
}

bool added_values_keep(struct point_data *data, struct trammel_argument *argument)
{
	uint32_t distance;

	if ((argument->kind != TRAMMEL_TEXT && argument->kind != TRAMMEL_DATA) ||
	    !argument->data)
		return true;
	if (!data)
		return false;
	if (!(argument->kind == TRAMMEL_TEXT
		      ? point_data_add_text(data, argument->data, &distance)
		      : point_data_add(data, argument->data, argument->size, &distance)))
		return false;
	argument->value = distance;
	return true;
}

static const uint8_t plain_kinds[] = {
	[TRAMMEL_REGISTER] = RECIPE_REGISTER,
	[TRAMMEL_TAKEN] = RECIPE_TAKEN,
	[TRAMMEL_TARGET] = RECIPE_TARGET,
	[TRAMMEL_RETURNED] = RECIPE_RETURN,
	[TRAMMEL_ARGUMENT] = RECIPE_ARGUMENT,
	[TRAMMEL_CALLER] = RECIPE_CALLER,
	[TRAMMEL_PC] = RECIPE_PC,
	[TRAMMEL_THREAD] = RECIPE_THREAD,
	[TRAMMEL_TIME] = RECIPE_TIME,
	[TRAMMEL_BANK] = RECIPE_THREAD, /* banks change when they grow */
	[TRAMMEL_STATUS] = RECIPE_STATUS,
	[TRAMMEL_VECTOR] = RECIPE_VECTOR,
	[TRAMMEL_VECTOR_LOW] = RECIPE_VECTOR_LOW,
	[TRAMMEL_CONTEXT] = RECIPE_CONTEXT,
	[TRAMMEL_TAKEN_REGISTER] = RECIPE_TAKEN_REGISTER,
};

bool added_values_by_edge(const struct trammel_argument *argument)
{
	return argument->kind == TRAMMEL_INDEX || argument->kind == TRAMMEL_TARGET;
}

/* Where a switch goes, and the number of that: the jump leads into relocated code, by a
 * table of its own, so only its edges tell. */
static struct recipe_value load_way(const struct added_place *place,
				    struct recipe *recipe, uint16_t kind)
{
	uint64_t target = 0;
	uint32_t index = 0;

	if (place->edge == ADDED_NO_EDGE ||
	    !switch_index_of_edge(place->cfg, place->edge, &target, &index))
		recipe_fail(recipe, POINT_UNREADABLE);
	if (kind == TRAMMEL_TARGET)
		return (struct recipe_value){.kind = RECIPE_MODULE,
					     .constant = (int64_t)target};
	return (struct recipe_value){.kind = RECIPE_CONSTANT, .constant = index};
}

static bool is_at_switch(const struct added_place *place)
{
	return place->number < place->cfg->instructions.count &&
	       place->cfg->instructions.items[place->number].kind == CFG_SWITCH;
}

struct recipe_value added_values_load(const struct added_place *place,
				      struct recipe *recipe,
				      const struct trammel_argument *argument,
				      int *ret_taken)
{
	*ret_taken = -1;
	if (added_values_by_edge(argument) &&
	    (argument->kind == TRAMMEL_INDEX || is_at_switch(place)))
		return load_way(place, recipe, argument->kind);
	switch (argument->kind) {
	case TRAMMEL_INT:
		return (struct recipe_value){.kind = RECIPE_CONSTANT,
					     .constant = argument->value};
	case TRAMMEL_TEXT:
	case TRAMMEL_DATA:
		return (struct recipe_value){.kind = argument->data ? RECIPE_DATA
								    : RECIPE_CONSTANT,
					     .constant = argument->value};
	case TRAMMEL_ADDRESS:
		return load_address(place, recipe, argument, ret_taken);
	case TRAMMEL_SIZE:
		return load_size(place, recipe, argument->number, ret_taken);
	case TRAMMEL_MEMORY:
		return load_memory(place, recipe, argument, ret_taken);
	default:
		return (struct recipe_value){.kind = plain_kinds[argument->kind],
					     .number = (uint8_t)argument->number,
					     .size = (uint8_t)argument->size};
	}
}
