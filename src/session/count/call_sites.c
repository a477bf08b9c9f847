#include "session/count/call_sites.h"

#include "base/cleanup.h"
#include "base/search.h"
#include "code/locate/address_map.h"
#include "code/plan/plan_rows.h"
#include "session/cache/module_text.h"
#include "wire/graph.h"
#include "x86/length.h"

#include <stdlib.h>
#include <string.h>

enum { CALL = 5 }; /* bytes of call rel32 */

_Static_assert(WIRE_CELL_MASK == PLAN_CELL_MASK &&
		       WIRE_CELL_LOST == PLAN_CELLS * 2 * sizeof(uint64_t),
	       "the resident knows the cells of gates");

/* A module that has, or had, code at an address. */
struct place {
	const struct module_file *file; /* NULL: none has */
	uint64_t bias;
	uint64_t code; /* of its trampolines, if the address is in these; else 0 */
	bool doubtful; /* there were several, one after the other */
};

static void note_place(struct place *place, const struct gone_module *module,
		       uint64_t address)
{
	bool code = address - module->code_address < module->code_size;

	/* A call at the very end of a text returns to what lies behind it. */
	if (!code && (address <= module->text_start || address > module->text_end))
		return;
	place->doubtful |= place->file &&
			   (place->file != module->file || place->bias != module->bias);
	place->file = module->file;
	place->bias = module->bias;
	place->code = code ? module->code_address : 0;
}

static struct gone_module place_of(const struct module *module)
{
	return (struct gone_module){module->file,         module->bias,
				    module->text_start,   module->text_end,
				    module->code_address, module->code_size};
}

void call_sites_note_gone(struct space *space, const struct module *module)
{
	const struct gone_module now = place_of(module);

	vector_for_each (&space->gone, gone)
		if (!memcmp(gone, &now, sizeof(now)))
			return;
	vector_push(&space->gone, now);
}

static struct place find_place(const struct space *space, uint64_t address)
{
	struct place place = {0};

	vector_for_each (&space->modules, module) {
		const struct gone_module now = place_of(module);

		note_place(&place, &now, address);
	}
	vector_for_each (&space->gone, gone)
		note_place(&place, gone, address);
	return place;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static uint64_t pair_of(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

static int by_place(const void *left, const void *right)
{
	const struct image_arc *a = left, *b = right;
	int by = compare_numbers(pair_of(a->interval, a->thread),
				 pair_of(b->interval, b->thread));

	if (!by)
		by = compare_numbers(a->phase, b->phase);
	if (!by)
		by = compare_numbers(pair_of(a->file, a->function),
				     pair_of(b->file, b->function));
	if (!by)
		by = compare_numbers(a->from, b->from);
	return by ? by : compare_numbers(a->site, b->site);
}

/* The link-time address that a call returned to, in relocated code or not; 0: it is not
 * known, as nothing of the addresses of a file without a plan is. */
static uint64_t site_in(struct map_walk *walk, const struct place *place,
			uint64_t address)
{
	const struct plan *plan = place->file->plan;
	uint64_t original = 0;

	if (!plan)
		return 0;
	if (!place->code)
		return address - place->bias;
	plan_next_return_of(walk, plan, (uint32_t)(address - place->code), &original);
	return original;
}

/* Of an arc as a bank has it. */
static void name_place(const struct space *space, struct map_walk *walk,
		       struct image_arc *arc)
{
	uint64_t address = arc->site;
	struct place place = {0};

	if (address)
		place = find_place(space, address);
	arc->from = UINT32_MAX;
	arc->site = 0;
	if (place.file && !place.doubtful) {
		arc->from = place.file->index;
		arc->site = site_in(walk, &place, address);
	}
}

static int by_site(const void *left, const void *right)
{
	const struct image_arc *const *a = left, *const *b = right;

	return compare_numbers((*a)->site, (*b)->site);
}

/* In the order of addresses, so that the steps of a function are walked over once for all
 * its calls. */
static void name_places(const struct space *space, struct image_run *image, size_t first)
{
	const size_t count = image->arcs.count - first;
	scoped_free struct image_arc **sorted =
		memory_allocate((count + 1) * sizeof(struct image_arc *));
	struct map_walk walk = {0};

	for (size_t i = 0; i < count; i++)
		sorted[i] = &image->arcs.items[first + i];
	qsort(sorted, count, sizeof(struct image_arc *), by_site);
	for (size_t i = 0; i < count; i++)
		name_place(space, &walk, sorted[i]);
}

void call_sites_add_difference(const struct process *process, uint32_t interval,
			       struct image_arcs *now)
{
	struct image_run *image = process->image;
	const struct image_arc *old = image->arc_mark.items;
	const struct image_arc *end = old + image->arc_mark.count;
	const size_t first = image->arcs.count;

	vector_reserve(&image->arcs, first + now->count);
	vector_for_each (now, arc) {
		struct image_arc added = *arc;

		while (old < end && by_place(old, arc) < 0)
			old++;
		if (old < end && !by_place(old, arc)) {
			if (arc->count < old->count)
				arc->count = old->count;
			added.count = arc->count - old->count;
		}
		added.interval = interval;
		if (added.count)
			vector_push(&image->arcs, added);
	}
	name_places(process->space, image, first);
}

static bool is_merged(const struct image_arcs *arcs)
{
	for (size_t i = 1; i < arcs->count; i++)
		if (by_place(&arcs->items[i - 1], &arcs->items[i]) >= 0)
			return false;
	return true;
}

void call_sites_merge(struct image_arcs *arcs)
{
	size_t kept = 0;

	if (is_merged(arcs))
		return;
	qsort(arcs->items, arcs->count, sizeof(*arcs->items), by_place);
	for (size_t i = 1; i < arcs->count; i++) {
		if (by_place(&arcs->items[kept], &arcs->items[i]))
			arcs->items[++kept] = arcs->items[i];
		else
			arcs->items[kept].count += arcs->items[i].count;
	}
	arcs->count = kept + 1;
}

/* The last instruction in front of `end` that is known from the plan: of a direct call,
 * or the function's first. */
static uint64_t known_start(const struct plan *plan, const struct plan_function *function,
			    uint64_t end)
{
	size_t i = search_first(plan->arcs.count, index,
				plan->arcs.items[index].site + CALL <= end);

	return i && plan->arcs.items[i - 1].site > function->address
		       ? plan->arcs.items[i - 1].site
		       : function->address;
}

/* The start of the instruction of a function that ends at `end`; 0 if none does. */
static uint64_t start_of_last(struct module_file *file,
			      const struct plan_function *function, uint64_t end,
			      struct brief *ret_brief)
{
	const uint8_t *bytes =
		module_file_original(file, function->address, function->size);
	uint64_t at = known_start(file->plan, function, end) - function->address;
	uint64_t size = end - function->address;

	if (!bytes || size > function->size)
		return 0;
	while (at < size && length_decode(bytes + at, size - at, ret_brief)) {
		if (at + ret_brief->length == size)
			return function->address + at;
		at += ret_brief->length;
	}
	return 0;
}

/* Whether code at an address jumps on through a word: a stub of a procedure linkage
 * table does. */
static bool is_stub(struct module_file *file, uint64_t address)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	const uint8_t *bytes = module_file_original(file, address, 12);

	if (bytes && !memcmp(bytes, endbr64, sizeof(endbr64)))
		bytes += sizeof(endbr64);
	if (bytes && *bytes == 0xf2) /* bnd */
		bytes++;
	return bytes && bytes[0] == 0xff && bytes[1] == 0x25;
}

static bool is_restorer(struct module_file *file, uint64_t address)
{
	/* mov $SYS_rt_sigreturn, %rax */
	static const uint8_t code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0};
	const uint8_t *bytes = module_file_original(file, address, sizeof(code));

	return bytes && !memcmp(bytes, code, sizeof(code));
}

/* Whether a call has a stub: what comes through a gate with its return address was jumped
 * to by what it called. One through the linkage table may have come that way itself. */
static bool has_stub(const struct plan *plan, uint64_t site)
{
	const struct plan_arc *arc = plan_arc_at(plan, site);

	return arc && arc->led && !plan_link_at(plan, site);
}

/* Of the 5 bytes at `site` as those of a direct call; NULL: they can be none, or lead to
 * something else. */
static const char *direct_kind(struct module_file *file, const struct image_arc *arc,
			       const struct module_file *callee, uint64_t site)
{
	const uint8_t *bytes = module_file_original(file, site, CALL);
	int32_t distance;
	uint64_t target;

	if (!bytes || *bytes != 0xe8)
		return NULL;
	memcpy(&distance, bytes + 1, sizeof(distance));
	target = site + CALL + (uint64_t)(int64_t)distance;
	if (file == callee &&
	    target == callee->plan->functions.items[arc->function].address)
		return "direct";
	return is_stub(file, target) ? "plt" : NULL;
}

/* The start of a call that ends at `end`, and how many could: bytes of some may be parts
 * of others. */
static unsigned int find_calls(struct module_file *file, uint64_t end,
			       uint64_t *ret_start, struct brief *ret_brief)
{
	static const uint8_t sizes[] = {8, 7, 4, 3, 2, 6, CALL};
	unsigned int count = 0;
	struct brief brief;

	for (size_t i = 0; i < sizeof(sizes); i++) {
		const uint8_t *bytes =
			module_file_original(file, end - sizes[i], sizes[i]);

		if (!bytes || length_decode(bytes, sizes[i], &brief) != sizes[i] ||
		    (brief.kind != BRIEF_CALL32 && brief.kind != BRIEF_CALL_INDIRECT))
			continue;
		*ret_start = end - sizes[i];
		*ret_brief = brief;
		count++;
	}
	return count;
}

/* The instruction in front of a return address; 0: none ends there. Something called, so
 * if it can be one call only, it is that. Else the whole function must be looked at,
 * which takes long. */
static uint64_t start_of_caller(struct module_file *file, uint64_t end,
				struct brief *ret_brief)
{
	const struct plan_function *function = plan_function_at(file->plan, end - 1);
	uint64_t start = 0;
	unsigned int count = find_calls(file, end, &start, ret_brief);

	if (count != 1 && function && end - function->address <= function->size)
		start = start_of_last(file, function, end, ret_brief);
	return start;
}

/* Compilers have calls of __tls_get_addr so, which linkers may rewrite. */
static bool has_prefixes(struct module_file *file, uint64_t address)
{
	const uint8_t *bytes = module_file_original(file, address - 3, 3);

	return bytes && !memcmp(bytes, (const uint8_t[]){0x66, 0x66, 0x48}, 3);
}

const char *call_sites_kind(struct module_file *file, const struct image_arc *arc,
			    const struct module_file *callee, uint64_t *ret_address)
{
	uint64_t start = arc->site - CALL;
	struct brief brief = {0};
	const char *direct;

	*ret_address = arc->site;
	if (is_restorer(file, arc->site))
		return "signal";
	if (has_stub(file->plan, start)) {
		*ret_address = start;
		return "other";
	}
	/* What leads to just this function is a call: its bytes could hardly be others.
	 */
	direct = direct_kind(file, arc, callee, start);
	if (direct) {
		*ret_address = has_prefixes(file, start) ? start - 3 : start;
		return direct;
	}
	start = start_of_caller(file, arc->site, &brief);
	if (!start)
		return "other";
	*ret_address = start;
	return brief.kind == BRIEF_CALL_INDIRECT ? "indirect" : "other";
}
