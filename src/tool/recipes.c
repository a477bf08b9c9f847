#include "tool/recipes.h"

#include "code/points/recipe_call.h"
#include "tool/tool.h"

#include <trammel/tool.h>

/* What tools see as a recipe. */
struct trammel_recipe {
	struct recipe *recipe;
	const struct added_place *place;
};

static int take_register(struct trammel_recipe *code)
{
	return recipe_take(code->recipe);
}

static void give_back(struct trammel_recipe *code, int number)
{
	recipe_give_back(code->recipe, number);
}

static void load_value(struct trammel_recipe *code, int number,
		       struct trammel_argument value)
{
	int taken;

	recipe_value(code->recipe, number,
		     added_values_load(code->place, code->recipe, &value, &taken));
	if (taken >= 0)
		recipe_give_back(code->recipe, taken);
}

_Static_assert((int)TRAMMEL_TIMES == (int)RECIPE_TIMES &&
		       (int)TRAMMEL_XOR == (int)RECIPE_XOR,
	       "operations have the engine's numbers");

static void compute_registers(struct trammel_recipe *code,
			      enum trammel_operation operation, int to, int from)
{
	recipe_compute(code->recipe, (enum recipe_operation)operation, to, from);
}

static void compute_constant(struct trammel_recipe *code,
			     enum trammel_operation operation, int to, int64_t constant)
{
	recipe_compute_constant(code->recipe, (enum recipe_operation)operation, to,
				constant);
}

static void shift_bits(struct trammel_recipe *code, int number, int bits)
{
	if (bits)
		recipe_shift(code->recipe, bits > 0 ? RECIPE_LEFT : RECIPE_RIGHT, number,
			     (unsigned int)(bits > 0 ? bits : -bits));
}

static void take_log2(struct trammel_recipe *code, int to, int from)
{
	recipe_log2(code->recipe, to, from);
}

static void compare_registers(struct trammel_recipe *code, int to, int left,
			      enum trammel_condition condition, int right)
{
	recipe_compare(code->recipe, to, left, (enum recipe_condition)condition, right);
}

static int new_label(struct trammel_recipe *code)
{
	return recipe_label(code->recipe);
}

static void place_label(struct trammel_recipe *code, int label)
{
	recipe_place_label(code->recipe, label);
}

static void skip_if(struct trammel_recipe *code, int left,
		    enum trammel_condition condition, int right, int label)
{
	recipe_skip_if(code->recipe, left, (enum recipe_condition)condition, right,
		       label);
}

static void skip_if_constant(struct trammel_recipe *code, int left,
			     enum trammel_condition condition, int32_t right, int label)
{
	recipe_skip_if_constant(code->recipe, left, (enum recipe_condition)condition,
				right, label);
}

static void load_checked(struct trammel_recipe *code, int to, int base,
			 int32_t displacement, uint32_t size, int error)
{
	recipe_load(code->recipe, to, base, displacement, size, false, error);
}

static void store_own(struct trammel_recipe *code, int base, int32_t displacement,
		      int from, uint32_t size)
{
	recipe_store(code->recipe, base, displacement, from, size);
}

static void load_own(struct trammel_recipe *code, int to, int base, int32_t displacement)
{
	recipe_load_own(code->recipe, to, base, displacement);
}

static void load_word(struct trammel_recipe *code, int to, uint32_t word)
{
	recipe_load_word(code->recipe, to, recipe_module_slot(word));
}

static void store_word(struct trammel_recipe *code, uint32_t word, int from)
{
	recipe_store_word(code->recipe, recipe_module_slot(word), from);
}

static void count_word(struct trammel_recipe *code, uint32_t word, int32_t amount)
{
	recipe_count_word(code->recipe, recipe_module_slot(word), amount);
}

static void count_word_at(struct trammel_recipe *code, uint32_t word, int index,
			  uint32_t count, int32_t amount)
{
	recipe_count_word_indexed(code->recipe, recipe_module_slot(word), index, count,
				  amount);
}

static void load_word_address(struct trammel_recipe *code, int to, uint32_t word)
{
	recipe_slot_address(code->recipe, to, recipe_module_slot(word));
}

/* The slot of a counter in the function that the code is added to. */
static uint32_t counter_slot(const struct trammel_recipe *code,
			     const struct trammel_counter *counter)
{
	return added_counter_slot(code->place->item->function, counter->number);
}

static void count_constant(struct trammel_recipe *code,
			   const struct trammel_counter *counter, int32_t amount)
{
	recipe_count(code->recipe, counter_slot(code, counter), amount);
}

static void count_register(struct trammel_recipe *code,
			   const struct trammel_counter *counter, int number)
{
	recipe_add(code->recipe, counter_slot(code, counter), number);
}

static void call_routine(struct trammel_recipe *code, const char *routine,
			 const struct trammel_argument *arguments, size_t count)
{
	struct added item = *code->place->item;
	struct added_place place = *code->place;
	const struct tool *tool = item.tool;
	size_t number = prototypes_find(&tool->prototypes, routine);

	if (number == tool->prototypes.count || count > ADDED_ARGUMENTS_MAX)
		return;
	item.what = ADDED_CALL;
	item.count = (uint8_t)count;
	item.routine = tool->first_routine + (uint32_t)number;
	for (size_t i = 0; i < count; i++) {
		item.arguments[i] = arguments[i];
		if (!added_values_keep(tool->data, &item.arguments[i]))
			return;
	}
	place.item = &item;
	added_emit_call(&place, code->recipe);
}

static void write_trace(struct trammel_recipe *code, struct trammel_buffer *buffer,
			const struct trammel_argument *values, size_t count)
{
	struct added item = *code->place->item;
	struct added_place place = *code->place;

	if (!count || count > TRAMMEL_RECORD_WORDS)
		return;
	item.what = ADDED_TRACE;
	item.count = (uint8_t)count;
	item.counter = buffer->number;
	item.routine = item.tool->first_routine + buffer->prototype;
	for (size_t i = 0; i < count; i++) {
		item.arguments[i] = values[i];
		if (!added_values_keep(item.tool->data, &item.arguments[i]))
			return;
	}
	place.item = &item;
	added_emit_trace(&place, code->recipe);
}

static const struct trammel_recipes functions = {
	.version = TRAMMEL_TOOL_VERSION,
	.size = sizeof(functions),
	.take = take_register,
	.give_back = give_back,
	.value = load_value,
	.compute = compute_registers,
	.compute_constant = compute_constant,
	.shift = shift_bits,
	.log2 = take_log2,
	.compare = compare_registers,
	.label = new_label,
	.place = place_label,
	.skip_if = skip_if,
	.skip_if_constant = skip_if_constant,
	.load = load_checked,
	.store_own = store_own,
	.load_own = load_own,
	.load_word = load_word,
	.store_word = store_word,
	.count_word = count_word,
	.count_word_at = count_word_at,
	.word_address = load_word_address,
	.count = count_constant,
	.add = count_register,
	.call = call_routine,
	.trace = write_trace,
};

void recipes_emit(const struct added_place *place, struct recipe *recipe)
{
	struct trammel_recipe code = {.recipe = recipe, .place = place};

	place->item->emit(&functions, &code, place->item->data);
}
