#include "session/modules/unpatched.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/page.h"
#include "base/search.h"
#include "code/plan/plan_rows.h"
#include "control/remote.h"
#include "session/cache/module_text.h"
#include "session/modules/probes.h"
#include "session/state/module.h"
#include "session/state/unpatched_list.h"
#include "wire/control.h"

#include <stdlib.h>
#include <string.h>

enum { JUMP = PLAN_JUMP };

void unpatched_texts_deinit(struct unpatched_texts *texts)
{
	vector_for_each (&texts->items, text)
		free(text->open);
	vector_deinit(&texts->items);
	vector_deinit(&texts->bytes);
	vector_deinit(&texts->return_jumps);
}

static const struct plan_function *function_of(const struct module *module,
					       uint32_t index)
{
	return &module->file->plan->functions.items[index];
}

/* Returns the module in whose text a function lies. */
static struct module *module_of(const struct space *space, uint64_t code_address,
				uint32_t function)
{
	vector_for_each (&space->modules, module) {
		if (module->broken || !module->code_size ||
		    module->code_address != code_address)
			continue;
		if (module_holds_text(module,
				      module->bias +
					      function_of(module, function)->address))
			return module;
	}
	return NULL;
}

/* Writes the bytes of a function as the plan patches them. */
static bool patched_bytes(const struct module *module,
			  const struct plan_function *function, uint8_t *bytes)
{
	const struct module_file *file = module->file;
	const struct module_text *text = module_text_of(module);
	const uint8_t *original = module_file_original(module->file, function->address,
						       unpatch_size(function));
	uint64_t start, end, part;

	if (!text || !original || function->address < text->address ||
	    function->address + unpatch_size(function) >
		    text->address + module_text_available(file, text))
		return false;
	memcpy(bytes, original, unpatch_size(function));
	part = text->address + text->part_offset;
	start = function->address > part ? function->address : part;
	end = function->address + unpatch_size(function);
	if (end > part + text->part_size)
		end = part + text->part_size;
	if (start < end)
		memcpy(bytes + (start - function->address),
		       file->patched[text - file->texts] + (start - part), end - start);
	return true;
}

/* Returns whether a function contains a patch by which programs recognize the text:
 * see struct wire_seal. */
static bool holds_seal(const struct space *space, const struct module *module,
		       const struct plan_function *function)
{
	const struct wire_control *control = space->family->arena->control;
	uint64_t start = module->bias + function->address;

	for (uint64_t i = 0; i < control->text_count; i++)
		for (size_t s = 0; s < 2; s++) {
			const struct wire_seal *seal = &control->undos[i].seals[s];

			if (seal->address < start + unpatch_size(function) &&
			    start < seal->address + sizeof(seal->bytes))
				return true;
		}
	return false;
}

void unpatched_find(const struct space *space, struct module *module,
		    struct unpatch_request *request, struct unpatched_texts *texts)
{
	const struct plan *plan = module->file->plan;
	const struct plan_function *function = request->function;
	const uint32_t index = (uint32_t)(function - plan->functions.items);
	const struct space_unpatched *row = unpatched_list_find(space, module, index);
	uint8_t *text, *patched;
	uint64_t *open;
	uint64_t early;
	size_t ways;

	if (function->address < module->text_start - module->bias ||
	    function->address + unpatch_size(function) >
		    module->text_end - module->bias ||
	    holds_seal(space, module, function))
		return;
	request->plan = plan;
	request->page = PAGE;
	request->open = row ? row->open : NULL;
	request->original = module_file_original(module->file, function->address,
						 unpatch_size(function));
	vector_reserve(&texts->bytes,
		       texts->bytes.count + 2 * (size_t)unpatch_size(function));
	text = texts->bytes.items + texts->bytes.count;
	request->patched = patched = text + unpatch_size(function);
	ways = texts->return_jumps.count;
	if (!request->original || !patched_bytes(module, function, patched) ||
	    !unpatch_make(request, text, &texts->return_jumps, &open, &early)) {
		texts->return_jumps.count = ways;
		return;
	}
	texts->bytes.count += unpatch_size(function);
	vector_push(
		&texts->items,
		((struct unpatched_text){
			.code_address = module->code_address,
			.function = index,
			.size = unpatch_size(function),
			.address = module->bias + function->address,
			.code = module->code_address + function->trampoline,
			.code_end = module->code_address + plan_code_end(plan, function),
			.return_jump_count = (uint32_t)(texts->return_jumps.count - ways),
			.open = open,
			.early = early,
		}));
}

COMPARE_BY(by_address, struct space_return_jump, address);

static bool give_back(void *item, const void *context, uint8_t *bytes)
{
	const struct space_return_jump *way = item;

	(void)context;
	memcpy(bytes, way->probe, sizeof(way->probe));
	return true;
}

/* Exchanges the bytes of a probe: way->probe is the jump, and becomes the bytes that
 * were there. Where no probe lies nothing is changed. */
static bool exchange_bytes(void *item, const void *context, uint8_t *bytes)
{
	struct space_return_jump *way = item;
	uint8_t probe[PROBE_FLAG_SIZE], tried[PROBE_FLAG_SIZE];
	bool is_probe;

	(void)context;
	memcpy(probe, bytes, sizeof(probe));
	memcpy(tried, bytes, sizeof(tried));
	is_probe = probe_set_fired(tried, true) || probe_set_fired(tried, false);
	if (is_probe)
		memcpy(bytes, way->probe, JUMP);
	memcpy(way->probe, probe, sizeof(probe));
	return is_probe;
}

static struct probes all_ways(const struct space *space, size_t first, size_t end)
{
	return (struct probes){space->fired.return_jumps.items + first, end - first,
			       sizeof(*space->fired.return_jumps.items)};
}

/* Restores probes, so that relocated code of a function whose text is about to change
 * leads to its original code no more. */
static void close_ways(struct space *space, const struct unpatched_text *text)
{
	const struct space_return_jump *ways = space->fired.return_jumps.items;
	size_t first = search_first(space->fired.return_jumps.count, middle,
				    ways[middle].address < text->code);
	size_t end = search_first(space->fired.return_jumps.count, middle,
				  ways[middle].address < text->code_end);

	if (first == end)
		return;
	probes_change(space->memory_fd, all_ways(space, first, end), give_back, NULL);
	memmove(space->fired.return_jumps.items + first,
		space->fired.return_jumps.items + end,
		(space->fired.return_jumps.count - end) *
			sizeof(*space->fired.return_jumps.items));
	space->fired.return_jumps.count -= end - first;
}

/* Merges the return jumps from `before` on, which are new and sorted as the earlier
 * ones are. */
static void merge_ways(struct space *space, size_t before)
{
	struct space_return_jump *ways = space->fired.return_jumps.items;
	size_t to = space->fired.return_jumps.count, old = before, new = to - before;
	scoped_free struct space_return_jump *copy =
		memory_allocate_zeroed(new, sizeof(*copy));

	memcpy(copy, ways + before, new * sizeof(*copy));
	while (new)
		ways[--to] = old && ways[old - 1].address > copy[new - 1].address
				     ? ways[--old]
				     : copy[--new];
}

/* Makes probes jump to original code. Probes in the arena are shared with other
 * processes. */
static void open_ways(struct space *space, const struct unpatched_texts *texts)
{
	const struct return_jump *way = texts->return_jumps.items;
	size_t before = space->fired.return_jumps.count;

	vector_for_each (&texts->items, text) {
		const struct module *module =
			module_of(space, text->code_address, text->function);
		uint64_t own = module ? module->code_size - module->shared_size : 0;
		uint64_t bias = module ? module->bias : 0;

		for (uint32_t i = 0; i < text->return_jump_count; i++, way++) {
			struct space_return_jump row = {.address = text->code_address +
								   way->code,
							.probe = {0xe9}};
			int32_t distance =
				(int32_t)(way->address + bias - (row.address + JUMP));

			if (way->code + PROBE_FLAG_SIZE > own ||
			    row.address % PAGE > PAGE - JUMP)
				continue;
			memcpy(row.probe + 1, &distance, sizeof(distance));
			vector_push(&space->fired.return_jumps, row);
		}
	}
	struct probes added = all_ways(space, before, space->fired.return_jumps.count);

	if (!added.count)
		return;
	qsort(added.items, added.count, added.size, by_address);
	probes_change(space->memory_fd, added, exchange_bytes, NULL);
	merge_ways(space, before);
}

/* Writes a text page by page, in the order `early` or the opposite one, as far as it
 * can be written. */
static bool write_text(int memory_fd, uint64_t address, const uint8_t *text,
		       uint32_t size, uint64_t early, bool back)
{
	const uint64_t first = page_start(address), end = address + size;
	const uint32_t pages = (uint32_t)((end - first + PAGE - 1) / PAGE);
	bool good = true;

	for (uint32_t i = 0; i < pages; i++) {
		uint32_t page = unpatch_page_at(early, back ? pages - 1 - i : i);
		uint64_t from = first + (uint64_t)page * PAGE, to = from + PAGE;

		from = from > address ? from : address;
		to = to < end ? to : end;
		good &= !remote_failed(remote_write(memory_fd, from,
						    text + (from - address), to - from));
	}
	return good;
}

/* Notes that a text is written: the function is among the first `before` unpatched
 * ones, or a new one. */
static void note_unpatched(struct space *space, size_t before,
			   struct unpatched_text *text)
{
	struct space_unpatched *row = unpatched_list_find_row(
		space, before, text->code_address, text->function);

	if (!row) {
		row = vector_add(&space->fired.unpatched);
		*row = (struct space_unpatched){.code_address = text->code_address,
						.function = text->function};
	}
	free(row->open);
	row->open = take_pointer(text->open);
	row->early = text->early;
}

void unpatched_enter(struct space *space, struct unpatched_texts *texts)
{
	const uint8_t *bytes = texts->bytes.items;
	size_t before = space->fired.unpatched.count;

	if (!texts->items.count)
		return;
	vector_for_each (&texts->items, text)
		close_ways(space, text);
	vector_for_each (&texts->items, text) {
		if (write_text(space->memory_fd, text->address, bytes, text->size,
			       text->early, false))
			note_unpatched(space, before, text);
		bytes += text->size;
	}
	qsort(space->fired.unpatched.items, space->fired.unpatched.count,
	      sizeof(*space->fired.unpatched.items), unpatched_list_compare);
	open_ways(space, texts);
}

/* Unpatched function, and the facts from which its text is made. */
struct known_function {
	uint64_t address; /* in the program */
	uint32_t size;
	struct unpatch_request request;
};
struct known_bytes VECTOR(uint8_t);

/* Collects these facts. Returns false if the function is gone. */
static bool know_unpatched(const struct space *space, const struct space_unpatched *row,
			   struct known_bytes *bytes, struct known_function *ret)
{
	const struct module *module = module_of(space, row->code_address, row->function);
	const struct plan_function *function =
		module ? function_of(module, row->function) : NULL;

	if (!function)
		return false;
	ret->address = module->bias + function->address;
	ret->size = unpatch_size(function);
	vector_reserve(bytes, ret->size);
	ret->request = (struct unpatch_request){
		.plan = module->file->plan,
		.function = function,
		.page = PAGE,
		.original =
			module_file_original(module->file, function->address, ret->size),
		.patched = bytes->items,
	};
	return patched_bytes(module, function, bytes->items);
}

/* Returns the text without anything that runs unpatched. It is equal whenever a
 * process forks. */
static const uint8_t *closed_text(struct space_unpatched *row,
				  const struct known_function *known)
{
	const struct unpatch_request *request = &known->request;

	if (!unpatch_has_switch(request->plan, request->function))
		return request->patched;
	if (!row->closed) {
		row->closed = memory_allocate(known->size);
		unpatch_close(request, row->closed);
	}
	return row->closed;
}

void unpatched_leave(const struct space *space, int memory_fd,
		     struct space_unpatched_list *closed)
{
	struct known_bytes bytes = {0};
	struct known_function known;
	const uint8_t *text;

	probes_change(memory_fd, all_ways(space, 0, space->fired.return_jumps.count),
		      give_back, NULL);
	vector_for_each (&space->fired.unpatched, row) {
		if (!know_unpatched(space, row, &bytes, &known))
			continue;
		text = closed_text(row, &known);
		write_text(memory_fd, known.address, text, known.size, row->early, true);
		if (memcmp(text, known.request.patched, known.size))
			vector_push(closed, ((struct space_unpatched){
						    .code_address = row->code_address,
						    .function = row->function}));
	}
	vector_deinit(&bytes);
}

/* Restores the bytes from `start` up to `end`, in the program. */
static void restore_bytes(const struct space *space, const struct known_function *known,
			  uint64_t start, uint64_t end)
{
	if (start < end)
		remote_failed(remote_write(
			space->memory_fd, start,
			known->request.original + (start - known->address), end - start));
}

/* Relocated code continues to lead there. */
void unpatched_restore(const struct space *space, const struct module *module,
		       struct image_range back)
{
	struct known_bytes bytes = {0};
	struct known_function known;

	vector_for_each (&space->fired.unpatched, row) {
		if (module_of(space, row->code_address, row->function) != module ||
		    !know_unpatched(space, row, &bytes, &known))
			continue;
		uint64_t start = known.address, end = start + known.size;

		restore_bytes(space, &known, start, end < back.start ? end : back.start);
		restore_bytes(space, &known, start > back.end ? start : back.end, end);
	}
	vector_deinit(&bytes);
}

void unpatched_forget(struct space *space, const struct module *module)
{
	size_t kept = 0;

	vector_for_each (&space->fired.unpatched, row)
		if (row->code_address != module->code_address)
			space->fired.unpatched.items[kept++] = *row;
		else
			unpatched_list_deinit_row(row);
	space->fired.unpatched.count = kept;
	kept = 0;
	vector_for_each (&space->fired.return_jumps, way)
		if (way->address - module->code_address >= module->code_size)
			space->fired.return_jumps.items[kept++] = *way;
	space->fired.return_jumps.count = kept;
}
