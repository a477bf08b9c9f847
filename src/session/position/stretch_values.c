#include "session/position/stretch_values.h"

#include "code/plan/position.h"
#include "session/state/generated_code.h"
#include "session/state/module.h"
#include "session/state/tool_rows.h"
#include "x86/all_operands.h"

#include <stdio.h>
#include <string.h>
#include <trammel/values.h>

enum { RSP = 4, ALIAS = 0xfff, OWN_VALUES_MAX = 48 };

/* The values of a step for a profiler of the user's. */
struct own_values {
	uint32_t wanted;
	size_t count;
	struct trammel_values_value items[OWN_VALUES_MAX];
};

/* An access of a step to memory. */
struct access {
	uint64_t address;
	uint16_t size; /* 0: not known */
	bool known;
};

/* A step that was executed. */
struct executed {
	const struct stretch_step *step;
	uint64_t code; /* 0: it is code of ours, or of no file */
	int before;    /* the step of the last execution of the same code; -1: none */
	struct access accesses[STRETCH_MEMORY_MAX];
};

struct evaluation {
	struct session *session;
	const struct thread *thread;
	struct value_tables *tables;
	const struct session_values *options;
	const struct space *space;
	const struct stretch *stretch;
	const uint64_t *words;
	uint64_t registers[16];
	uint64_t fs_base, gs_base;
	struct executed steps[STRETCH_LENGTH_MAX];
	size_t count;
};

/* The original of code, which may be relocated; 0: it is none of the program's. */
static uint64_t code_of(const struct space *space, uint64_t address)
{
	const struct module *relocated = space_module_of_code(space, address);

	if (relocated) {
		const struct plan_position place = module_locate(relocated, address);

		return place.kind == PLAN_POSITION_MOVED && !place.inside
			       ? tool_code_number(relocated->file->index, place.original)
			       : 0;
	}
	vector_for_each (&space->modules, module)
		if (module_holds_text(module, address))
			return tool_code_number(module->file->index,
						address - module->bias);
	return generated_code_is_at(space, address)
		       ? tool_code_number(TOOL_CODE_GENERATED, address)
		       : 0;
}

static struct access access_of(const struct evaluation *all,
			       const struct stretch_memory *memory)
{
	struct access access = {
		.address = (uint64_t)memory->displacement,
		.size = memory->size,
		.known = memory->told,
	};

	if (memory->base < 16)
		access.address += all->registers[memory->base];
	if (memory->index < 16)
		access.address += all->registers[memory->index] * memory->scale;
	if (memory->segment == ALL_OPERANDS_FS)
		access.address += all->fs_base;
	if (memory->segment == ALL_OPERANDS_GS)
		access.address += all->gs_base;
	if (memory->pushed)
		access.address -= memory->size;
	return access;
}

static void take_registers(struct evaluation *all, const struct stretch_step *step)
{
	const struct stretch_value *values =
		all->stretch->values.items + step->first_value;

	for (unsigned int i = 0; i < step->value_count; i++)
		if (values[i].kind == STRETCH_REGISTER)
			all->registers[values[i].number] = all->words[values[i].word];
	if (step->branch == STRETCH_CALL)
		all->registers[RSP] -= sizeof(uint64_t);
}

static int find_before(const struct evaluation *all, uint64_t code, size_t from)
{
	for (size_t i = from; i-- > 0;)
		if (all->steps[i].code == code)
			return (int)i;
	return -1;
}

/* The executed steps, with the addresses that they accessed. */
static void follow_steps(struct evaluation *all, uint16_t last)
{
	uint16_t path[STRETCH_LENGTH_MAX];

	all->count = stretch_path(all->stretch, last, path);
	for (size_t i = 0; i < all->count; i++) {
		const struct stretch_step *step = &all->stretch->steps.items[path[i]];
		struct executed *executed = &all->steps[i];

		executed->step = step;
		executed->code = code_of(all->space, step->address);
		executed->before =
			executed->code ? find_before(all, executed->code, i) : -1;
		for (unsigned int m = 0; m < step->memory_count; m++)
			executed->accesses[m] = access_of(all, &step->memory[m]);
		take_registers(all, step);
	}
}

/* The 80 bits at the top of the x87 stack as a double's bits; MMX registers have their 64
 * bits there, with all ones behind them. */
static uint64_t x87_value(const uint64_t *words)
{
	long double wide = 0;
	double number;
	uint64_t bits;

	if ((words[5] & 0xffff) == 0xffff)
		return words[4];
	memcpy(&wide, words + 4, 10);
	number = (double)wide;
	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

static uint64_t word_of(const struct evaluation *all, const struct stretch_value *value)
{
	const uint64_t *words = all->words + value->word;

	if (value->kind == STRETCH_X87)
		return x87_value(words);
	if (value->kind == STRETCH_TICKS)
		return (uint32_t)(words[1] - words[0]);
	/* kmovw writes two bytes. */
	return value->kind == STRETCH_MASK ? (uint16_t)*words : *words;
}

/* The same value at the execution before; false: it is not known. */
static bool find_last(const struct evaluation *all, const struct executed *executed,
		      const struct stretch_value *value, uint64_t *ret_last)
{
	const struct stretch_step *before;

	if (executed->before < 0)
		return false;
	before = all->steps[executed->before].step;
	for (unsigned int i = 0; i < before->value_count; i++) {
		const struct stretch_value *other =
			&all->stretch->values.items[before->first_value + i];

		if (other->kind != value->kind || other->number != value->number)
			continue;
		*ret_last = word_of(all, other);
		return true;
	}
	return false;
}

static void add_seen(struct evaluation *all, const struct executed *executed, uint8_t of,
		     uint8_t number, struct value_seen seen)
{
	seen.key.code = executed->code;
	seen.key.of = of;
	seen.key.number = number;
	seen.key.region = all->thread->values.region;
	value_tables_add(all->tables, &seen);
}

/* What a value is in tables: results by the numbers that operands have. */
static const struct {
	uint8_t of, first;
} meanings[] = {
	[STRETCH_REGISTER] = {VALUE_RESULT, ALL_OPERANDS_RAX},
	[STRETCH_VECTOR] = {VALUE_RESULT, ALL_OPERANDS_VECTOR0},
	[STRETCH_MASK] = {VALUE_RESULT, ALL_OPERANDS_K0},
	[STRETCH_X87] = {VALUE_RESULT, ALL_OPERANDS_X87},
	[STRETCH_LOADED] = {VALUE_LOAD, 0},
	[STRETCH_STORED] = {VALUE_STORE, 0},
	[STRETCH_TICKS] = {VALUE_TICKS, 0},
};

static void add_values(struct evaluation *all, const struct executed *executed)
{
	const struct stretch_step *step = executed->step;

	for (unsigned int i = 0; i < step->value_count; i++) {
		const struct stretch_value *value =
			&all->stretch->values.items[step->first_value + i];
		struct value_seen seen = {.value = word_of(all, value)};

		if (value->kind == STRETCH_REGISTER && value->number == RSP)
			continue;
		if (value->kind != STRETCH_TICKS &&
		    !all->options->want[VALUE_KIND_VALUES])
			continue;
		seen.has_last = find_last(all, executed, value, &seen.last);
		add_seen(all, executed, meanings[value->kind].of,
			 (uint8_t)(meanings[value->kind].first + value->number), seen);
	}
}

static void add_addresses(struct evaluation *all, const struct executed *executed)
{
	for (uint8_t i = 0; i < executed->step->memory_count; i++) {
		struct value_seen seen = {.value = executed->accesses[i].address};

		if (!executed->accesses[i].known)
			continue;
		if (executed->before >= 0) {
			seen.has_last = true;
			seen.last = all->steps[executed->before].accesses[i].address;
		}
		add_seen(all, executed, VALUE_ADDRESS, i, seen);
	}
}

/* What a store has to do with a later load. */
static enum value_replay replay_of(const struct access *load, const struct access *store)
{
	const uint64_t from = store->address - load->address,
		       back = load->address - store->address;

	if (back < store->size)
		return back + load->size <= store->size ? VALUE_FORWARDED : VALUE_PARTIAL;
	if (from < load->size)
		return VALUE_PARTIAL;
	return (from & ALIAS) < load->size || (back & ALIAS) < store->size ? VALUE_ALIAS
									   : VALUE_FREE;
}

/* The nearest store in front of step `at` with which a load has to do; those of the step
 * itself come after it. */
static enum value_replay find_replay(const struct evaluation *all, size_t at,
				     const struct access *load)
{
	while (at-- > 0) {
		const struct stretch_step *step = all->steps[at].step;

		for (unsigned int i = 0; i < step->memory_count; i++) {
			const struct access *store = &all->steps[at].accesses[i];

			if (!step->memory[i].writes || !store->known || !store->size)
				continue;
			const enum value_replay replay = replay_of(load, store);

			if (replay != VALUE_FREE)
				return replay;
		}
	}
	return VALUE_FREE;
}

static void add_replays(struct evaluation *all, size_t at)
{
	const struct executed *executed = &all->steps[at];

	for (uint8_t i = 0; i < executed->step->memory_count; i++) {
		const struct access *load = &executed->accesses[i];

		if (!executed->step->memory[i].reads || !load->known || !load->size)
			continue;
		add_seen(all, executed, VALUE_REPLAY, i,
			 (struct value_seen){.value = find_replay(all, at, load)});
	}
}

/* Where a branch led; false: it was no branch that can lead to several places. */
static bool find_target(const struct evaluation *all, size_t at,
			const struct stretch_end *end, uint64_t *ret_address)
{
	const struct executed *executed = &all->steps[at];

	if (executed->step->branch == STRETCH_INDIRECT)
		*ret_address = all->words[STRETCH_WORD_TARGET];
	else if (executed->step->branch != STRETCH_CONDITION)
		return false;
	else if (at + 1 < all->count)
		*ret_address = all->steps[at + 1].step->address;
	else
		*ret_address =
			end->by_target ? all->words[STRETCH_WORD_TARGET] : end->next;
	return true;
}

static void add_target(struct evaluation *all, size_t at, const struct stretch_end *end)
{
	struct value_seen seen = {0}, *const result = &seen;
	const struct executed *executed = &all->steps[at];
	uint64_t address;

	if (!find_target(all, at, end, &address))
		return;
	result->value = code_of(all->space, address) ?: address;
	if (executed->before >= 0)
		seen.has_last = find_target(all, (size_t)executed->before, end, &address);
	seen.last = seen.has_last ? code_of(all->space, address) ?: address : 0;
	add_seen(all, executed, VALUE_TARGET, 0, seen);
}

/* A table of the user's profiler for the instruction at hand. */
struct own_table {
	struct evaluation *all;
	const struct executed *executed;
};

static void add_to_own(void *context, const char *what, int64_t value)
{
	const struct own_table *own = context;
	struct value_seen seen = {.value = (uint64_t)value};
	char name[32];

	snprintf(name, sizeof(name), "%s", what);
	seen.key.text = string_table_intern(&own->all->session->values.texts, name) + 1;
	add_seen(own->all, own->executed, VALUE_OWN, 0, seen);
}

static void put_own(struct own_values *values, unsigned int kind, uint8_t number,
		    const struct value_seen *seen)
{
	if (!(values->wanted >> kind & 1) || values->count == OWN_VALUES_MAX)
		return;
	values->items[values->count++] = (struct trammel_values_value){
		.kind = (uint8_t)kind,
		.number = number,
		.has_last = seen->has_last,
		.value = seen->value,
		.last = seen->last,
	};
}

static void collect_own(const struct evaluation *all, size_t at,
			const struct stretch_end *end, struct own_values *values)
{
	const struct executed *executed = &all->steps[at];
	const struct stretch_step *step = executed->step;
	uint64_t address;

	for (unsigned int i = 0; i < step->value_count; i++) {
		const struct stretch_value *value =
			&all->stretch->values.items[step->first_value + i];
		struct value_seen seen = {.value = word_of(all, value)};

		if (meanings[value->kind].of > VALUE_STORE)
			continue;
		seen.has_last = find_last(all, executed, value, &seen.last);
		put_own(values, meanings[value->kind].of,
			(uint8_t)(meanings[value->kind].first + value->number), &seen);
	}
	for (uint8_t i = 0; i < step->memory_count; i++) {
		struct value_seen seen = {.value = executed->accesses[i].address};

		seen.has_last = executed->before >= 0;
		if (seen.has_last)
			seen.last = all->steps[executed->before].accesses[i].address;
		if (executed->accesses[i].known)
			put_own(values, TRAMMEL_VALUES_ADDRESS, i, &seen);
	}
	if (find_target(all, at, end, &address))
		put_own(values, TRAMMEL_VALUES_TARGET, 0,
			&(struct value_seen){.value = address});
}

/* The bytes of a step, as they were copied. */
static const uint8_t *bytes_of(const struct stretch *stretch,
			       const struct stretch_step *step)
{
	vector_for_each (&stretch->parts, part)
		if (step->address - part->address < part->size)
			return stretch->original.items + part->first +
			       (step->address - part->address);
	return NULL;
}

/* Hands what a step executed to the user's profiler. */
static void add_own(struct evaluation *all, size_t at, const struct stretch_end *end)
{
	const struct trammel_value_profiler *profiler = all->options->profiler;
	const struct executed *executed = &all->steps[at];
	const struct session *session = all->session;
	const uint32_t index = tool_code_index(executed->code);
	struct own_table table = {all, executed};
	const struct trammel_values_out out = {&table, add_to_own};
	const struct trammel_values_code code = {
		.module = index < session->files.count ? session->files.items[index]->path
						       : "[generated code]",
		.address = tool_code_address(executed->code),
		.bytes = bytes_of(all->stretch, executed->step),
		.length = executed->step->length,
		.memory_count = executed->step->memory_count,
		.process = (uint32_t)all->thread->process->pid,
		.thread = (uint32_t)all->thread->tid,
	};
	struct own_values values = {.wanted = profiler->choose(&code)};

	if (!values.wanted)
		return;
	collect_own(all, at, end, &values);
	if (values.count)
		profiler->fold(&code, values.items, values.count, &out);
}

void stretch_values_take(struct session *session, struct thread *thread,
			 const uint64_t *words, const struct stretch_end *end)
{
	const struct thread_values *own = &thread->values;
	struct evaluation all = {
		.session = session,
		.thread = thread,
		.tables = &thread->process->image->values,
		.options = &session->options->values,
		.space = thread->process->space,
		.stretch = &own->made->stretch,
		.words = words,
		.fs_base = own->fs_base,
		.gs_base = own->gs_base,
	};

	memcpy(all.registers, own->registers, sizeof(all.registers));
	follow_steps(&all, end->last);
	session->values.steps += all.count;
	for (size_t i = 0; i < all.count; i++) {
		if (!all.steps[i].code)
			continue;
		add_values(&all, &all.steps[i]);
		if (all.options->want[VALUE_KIND_VALUES])
			add_target(&all, i, end);
		if (all.options->want[VALUE_KIND_ADDRESSES])
			add_addresses(&all, &all.steps[i]);
		if (all.options->want[VALUE_KIND_REPLAYS])
			add_replays(&all, i);
		if (all.options->profiler)
			add_own(&all, i, end);
	}
}
