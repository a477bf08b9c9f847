#include "session/profile/call_sites_save.h"

#include "base/bits.h"
#include "base/cleanup.h"
#include "code/plan/plan_rows.h"
#include "record/model.h"
#include "record/value.h"
#include "session/count/call_sites.h"
#include "session/profile/profile_writer.h"

#include <stdio.h>
#include <stdlib.h>

/* Where a call came from. */
struct origin {
	const struct module_file *file; /* NULL: it is not known */
	uint64_t site;                  /* address of the instruction; 0: not known */
	const char *kind;
};

/* The node of a function, below it that of a caller. */
static record_node arc_node(struct profile_writer *writer, record_node node,
			    const struct origin *origin,
			    const struct plan_function *caller)
{
	const struct names *n = &writer->names;
	struct record_model *model = writer->model;
	if (!origin->file)
		return node;
	node = record_node_child(model, node, n->caller_path,
				 record_string(origin->file->path));
	if (!caller)
		return node;
	return record_node_child(model, node, n->caller,
				 record_string(profile_writer_function_name(
					 writer, origin->file, caller)));
}

static const struct plan_function *caller_of(const struct origin *origin)
{
	const struct plan_function *caller = NULL;

	if (origin->site)
		caller = plan_function_at(origin->file->plan, origin->site);
	return caller && origin->site - caller->address < caller->size
		       ? plan_whole_of(origin->file->plan, caller)
		       : NULL;
}

static void save_arc(struct profile_writer *writer,
		     const struct profile_writer_tally *tally, uint32_t callee,
		     const struct origin *origin, uint64_t count)
{
	const struct names *n = &writer->names;
	const struct plan_function *function =
		&tally->file->plan->functions.items[callee];
	const struct plan_function *caller = count ? caller_of(origin) : NULL;
	struct record_pair pairs[6 + PROFILE_WRITER_MORE] = {
		{n->offset, record_address(function->address)},
		{n->image, record_uint(tally->image->number)},
		{n->arc_kind, record_string(origin->kind)},
		{n->arc_count, record_uint(count)},
	};
	size_t pair_count = 4;
	record_node node;

	if (!count)
		return;
	node = profile_writer_function_node(writer, tally->file, function);
	if (origin->site)
		pairs[pair_count++] =
			(struct record_pair){n->arc_site, record_address(origin->site)};
	if (caller)
		pairs[pair_count++] = (struct record_pair){
			n->caller_offset, record_address(caller->address)};
	profile_writer_write(writer, arc_node(writer, node, origin, caller), pairs,
			     pair_count);
}

/* Arcs that have a stub and were counted, one bit each: most never are, and to look at
 * all their counters takes as long as all else. The caller frees. */
static uint64_t *find_own_arcs(const struct profile_writer_tally *tally)
{
	const struct plan *plan = tally->file->plan;
	uint64_t *own = memory_allocate_zeroed(bit_words(plan->arcs.count), sizeof(*own));

	for (size_t i = 0; i < tally->count_count; i++)
		if (tally->counts[i].slot - plan->arc_slot < plan->arcs.count)
			bit_set(own, tally->counts[i].slot - plan->arc_slot);
	return own;
}

/* Those that have a stub. */
static void save_own_arcs(struct profile_writer *writer,
			  const struct profile_writer_tally *tally, const uint64_t *own)
{
	const struct plan *plan = tally->file->plan;
	const size_t count = plan->arcs.count;

	for (size_t i = 0; (i = bits_next(own, i, count)) < count; i++) {
		const struct plan_arc *arc = &plan->arcs.items[i];
		struct origin origin = {tally->file, arc->site,
					arc->jump ? "jump" : "direct"};

		if (!arc->jump && plan_link_at(plan, arc->site))
			origin.kind = "plt";
		save_arc(writer, tally, arc->callee, &origin,
			 tally->counters[plan->arc_slot + i]);
	}
}

/* A call through the linkage table may have been counted at its stub and, as long as the
 * table's word was not filled in, at the gate. */
static bool add_to_link(const struct profile_writer_tally *tally,
			const struct image_arc *arc, const struct origin *origin,
			uint64_t *own_arcs)
{
	const struct plan *plan = tally->file->plan;
	const struct plan_arc *own = NULL;

	if (origin->file == tally->file && plan_link_at(plan, origin->site))
		own = plan_arc_at(plan, origin->site);
	if (!own || own->callee != arc->function)
		return false;
	tally->counters[plan->arc_slot + (own - plan->arcs.items)] += arc->count;
	bit_set(own_arcs, (size_t)(own - plan->arcs.items));
	return true;
}

static void save_arcs(struct profile_writer *writer,
		      const struct profile_writer_tally *tally, uint64_t *own)
{
	for (size_t i = 0; i < tally->arc_count; i++) {
		const struct image_arc *arc = &tally->arcs[i];
		struct origin origin = {.kind = "unknown"};

		if (arc->from != UINT32_MAX) {
			struct module_file *from =
				writer->session->files.items[arc->from];

			origin.file = from;
			if (arc->site)
				origin.kind = call_sites_kind(from, arc, tally->file,
							      &origin.site);
		}
		if (!add_to_link(tally, arc, &origin, own))
			save_arc(writer, tally, arc->function, &origin, arc->count);
	}
	save_own_arcs(writer, tally, own);
}

/* How many of a function's calls came from unknown call sites. */
static uint64_t unknown_calls(struct profile_writer *writer,
			      const struct profile_writer_tally *tally, uint32_t function,
			      uint64_t known)
{
	const uint32_t group[] = {writer->thread, tally->file->index, function};
	uint64_t calls =
		tally->counters[tally->file->plan->functions.items[function].slot];
	uint64_t *entering, unknown = calls - known;

	if (calls == known)
		return 0;
	entering =
		table_insert(&writer->entering, hash_bytes(group, sizeof(group)), NULL);
	if (calls < known) {
		*entering += known - calls;
		return 0;
	}
	uint64_t entered = *entering < unknown ? *entering : unknown;

	*entering -= entered;
	return unknown - entered;
}

void call_sites_save(struct profile_writer *writer,
		     const struct profile_writer_tally *tally, uint64_t *seen)
{
	const struct plan *plan = tally->file->plan;
	scoped_free uint64_t *sums =
		memory_allocate_zeroed(plan->functions.count, sizeof(*sums));
	scoped_free uint64_t *own = find_own_arcs(tally);
	const size_t count = plan->arcs.count;

	for (size_t i = 0; (i = bits_next(own, i, count)) < count; i++)
		sums[plan->arcs.items[i].callee] += tally->counters[plan->arc_slot + i];
	for (size_t i = 0; i < tally->arc_count; i++)
		sums[tally->arcs[i].function] += tally->arcs[i].count;
	for (uint32_t i = 0; i < plan->functions.count; i++) {
		const struct plan_function *function = &plan->functions.items[i];

		if (function->reason != PLAN_INSTRUMENTED || plan_is_cold_part(function))
			continue;
		if (sums[i])
			bit_set(seen, i);
		if (!plan->counts_entries && sums[i])
			tally->counters[function->slot] = sums[i];
		else if (plan->counts_entries && plan->sites)
			save_arc(writer, tally, i,
				 &(const struct origin){.kind = "unknown"},
				 unknown_calls(writer, tally, i, sums[i]));
	}
	if (plan->sites) /* the others have contexts instead */
		save_arcs(writer, tally, own);
}
