#include "code/calls/spans.h"

#include "base/cleanup.h"
#include "code/scan/plt.h"
#include "image/demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Target of a branch that leaves the function. */
enum way {
	WITHIN,  /* it does not, or leads to a part of its own that lies elsewhere */
	UNKNOWN, /* to a function of another module */
	KNOWN,
};

static enum way way_of(const struct plan_builder *builder,
		       const struct cfg_instruction *row, uint32_t *ret_function)
{
	const struct cfg *cfg = &builder->current.cfg;
	uint64_t target = row->target;
	int64_t index;

	if ((row->kind != CFG_JUMP && row->kind != CFG_CONDITION &&
	     row->kind != CFG_LOOP) ||
	    target - cfg->address < cfg->size)
		return WITHIN;
	if (plt_word(builder->image, target)) {
		target = plt_function(builder->image, target);
		if (!target)
			return UNKNOWN;
	}
	index = code_map_function_at(&builder->scan.map, target);
	if (index < 0)
		return row->target == target ? WITHIN : UNKNOWN;
	*ret_function = (uint32_t)index;
	return KNOWN;
}

/* Marks a function whose returns must be seen though it is no span. */
static bool pass_on(struct plan_builder *builder, uint32_t index)
{
	struct entry_patch *choice = &builder->choices[index];

	if (choice->span || choice->passed_on || choice->hook ||
	    builder->returns.readers[index] ||
	    builder->image->functions.items[index].flags & IMAGE_FUNCTION_GO ||
	    (builder->request->is_span && !choice->wanted))
		return false;
	choice->wanted = choice->passed_on = true;
	return true;
}

void spans_choose(struct plan_builder *builder)
{
	struct VECTOR(uint32_t) open = {0};

	for (uint32_t i = 0; i < builder->image->functions.count; i++)
		if (builder->choices[i].span)
			vector_push(&open, i);
	while (open.count) {
		uint32_t index = open.items[--open.count], to;

		builder->current.cfg.returns_flags = false;
		builder->current.cfg.exits = builder->request->exits;
		if (cfg_build(&builder->current.cfg, &builder->scan, builder->image,
			      index))
			continue;
		vector_for_each (&builder->current.cfg.instructions, row)
			if (way_of(builder, row, &to) == KNOWN && pass_on(builder, to))
				vector_push(&open, to);
	}
	vector_deinit(&open);
}

bool spans_are_seen(const struct plan_builder *builder, uint32_t index)
{
	const struct entry_patch *choice = &builder->choices[index];

	return (choice->span || choice->passed_on) && !choice->unseen;
}

bool spans_mark_ends(struct plan_builder *builder)
{
	vector_for_each (&builder->current.cfg.instructions, row) {
		uint32_t to;
		enum way way = way_of(builder, row, &to);

		if (row->kind == CFG_TAIL_INDIRECT)
			row->ends = !row->labelled;
		if (way == WITHIN || (way == KNOWN && spans_are_seen(builder, to)))
			continue;
		if (row->kind != CFG_JUMP)
			return false;
		row->ends = true;
	}
	return true;
}

void spans_give_up(struct plan_builder *builder, uint32_t index)
{
	builder->flags.found |= !builder->choices[index].unseen;
	builder->choices[index].unseen = true;
}

static bool has_name(const struct plan_builder *builder, uint32_t index)
{
	const struct plan_function *function = &builder->plan->functions.items[index];

	return function->reason == PLAN_INSTRUMENTED && builder->choices[index].span &&
	       !builder->choices[index].unseen;
}

void spans_write_names(struct plan_builder *builder)
{
	struct plan *plan = builder->plan;

	builder->entries.names = memory_allocate_zeroed(plan->functions.count,
							sizeof(*builder->entries.names));
	for (uint32_t i = 0; i < plan->functions.count; i++) {
		const struct plan_function *function = &plan->functions.items[i];
		const char *linked = builder->image->names.items + function->name;
		char unnamed[32];

		if (!has_name(builder, i))
			continue;
		snprintf(unnamed, sizeof(unnamed), "sub_%" PRIx64, function->address);
		scoped_free char *demangled =
			function->name ? image_demangle(linked) : NULL;
		const char *name = demangled        ? demangled
				   : function->name ? linked
						    : unnamed;

		builder->entries.names[i] = (uint32_t)plan->code.count;
		do
			vector_push(&plan->code, (uint8_t)*name);
		while (*name++);
	}
}

uint64_t spans_name(const struct plan_builder *builder, uint32_t index)
{
	return builder->plan->code_address + builder->entries.names[index];
}
