#include "resident/way_back.h"

#include "resident/inside.h"
#include "wire/bank.h"
#include "wire/control.h"
#include "wire/paths.h"

const struct wire_way *way_around(const struct wire_ways *ways, uint64_t address)
{
	const struct wire_way *rows = wire_ways_rows(ways);
	uint64_t low = 0, high = ways->count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (rows[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - rows[low - 1].address >= rows[low - 1].size)
		return NULL;
	return &rows[low - 1];
}

/* The address to which the instruction at a link-time address was moved, with probes of
 * paths in front of it; 0: its original can be run. At the entry that is a jump. */
static uint64_t moved_to(const struct wire_ways *ways, uint64_t address)
{
	const struct wire_step *steps = wire_ways_steps(ways);
	const struct wire_way *way = way_around(ways, address);
	uint64_t original, code, front = 0;
	int path = 0;

	if (!way || way->address == address)
		return 0;
	original = way->address;
	code = ways->code + way->code;
	for (uint32_t i = 0; i < way->map_row_count; i++) {
		const struct wire_step *step = &steps[way->first_map_row + i];

		if (!path)
			front = code;
		if (original == address && step->kind != WIRE_STEP_AWAY &&
		    wire_step_original(*step))
			return step->kind == WIRE_STEP_MOVED ? front : 0;
		path = step->kind == WIRE_STEP_PATH;
		original += (uint64_t)(int64_t)wire_step_original(*step);
		code += wire_step_code(*step);
	}
	return 0;
}

/* Whether the patch is there still, as far as it lies in the page of the instruction,
 * which is about to be executed: its text may be the original again, or another one. */
static int lead_covers(const struct wire_lead *lead)
{
	uint64_t page = lead->original & ~0xfffull;

	for (uint64_t i = 0; i < lead->size; i++)
		if (lead->patch + i >= page && lead->patch + i < page + 0x1000 &&
		    *(const uint8_t *)(uintptr_t)(lead->patch + i) != lead->bytes[i])
			return 0;
	return 1;
}

/* The address where an instruction that is covered by a patch continues; 0: it is not
 * covered. */
static uint64_t led_to(const struct wire_control *control, uint64_t address)
{
	for (uint64_t i = 0; i < control->lead_count && i < WIRE_LEADS_MAX; i++) {
		const struct wire_lead *lead = &control->leads[i];

		if (address && lead->original == address && lead_covers(lead))
			return lead->code;
	}
	return 0;
}

/* The new address of an instruction in a function that was relocated whole; 0: none. */
static uint64_t way_of(const struct wire_control *control, uint64_t address)
{
	for (uint64_t i = 0; i < control->text_count && i < WIRE_TEXTS_MAX; i++) {
		const struct wire_text *text = &control->texts[i];
		const struct wire_ways *ways =
			(const struct wire_ways *)(uintptr_t)control->undos[i].ways;

		if (address >= text->start && address < text->end && ways)
			return moved_to(ways, address - ways->bias);
	}
	return 0;
}

/* The row of the handler that interrupted the thread with this stack pointer; NULL if
 * there is none. With the tracer dead a row that was used is not used again: another
 * handler may have this stack pointer, and there is no row for it. */
static struct wire_shown *find_shown(struct wire_bank *bank,
				     const struct wire_control *control, uint64_t rsp)
{
	for (uint64_t i = bank->shown_count; i-- > 0;) {
		struct wire_shown *shown = &bank->shown[i % WIRE_SHOWN];

		if (shown->rsp == rsp)
			return shown->went && tracer_died(control) ? NULL : shown;
	}
	return NULL;
}

/* Puts by the words of a function that is away, before it is not: as paths.S does. */
static void put_path_by(struct wire_paths *paths, uint64_t *words)
{
	struct wire_paths_frame *set =
		paths->frames[words[1] >> 4 & (WIRE_PATHS_SETS - 1)];
	uint32_t i = 0;

	while (i + 1 < WIRE_PATHS_WAYS && set[i].rsp && set[i].rsp != words[1])
		i++;
	if (set[i].rsp && set[i].rsp != words[1])
		paths->lost++;
	set[i].sum = (uint32_t)words[0];
	set[i].place = (uint32_t)(words[0] >> 32);
	set[i].rsp = words[1];
	paths->used[((uintptr_t)&set[i] - (uintptr_t)paths->frames) >> 12] = 1;
	words[1] = 0;
}

/* Has a function go on along its path where a signal found it; see wire_shown.path. To do
 * it again does nothing. */
static void go_on_path(struct wire_bank *bank, const struct wire_shown *shown)
{
	uint64_t *words = (uint64_t *)((uintptr_t)bank + (uintptr_t)shown->path);
	struct wire_paths *paths =
		(struct wire_paths *)((uintptr_t)bank + WIRE_PATHS_PUT_BY);
	struct wire_paths_frame *set =
		paths->frames[shown->rsp >> 4 & (WIRE_PATHS_SETS - 1)];

	if (words[1] == shown->rsp) {
		words[1] = 0;
		return;
	}
	for (uint32_t i = 0; i < WIRE_PATHS_WAYS; i++) {
		if (set[i].rsp != shown->rsp)
			continue;
		if (words[1])
			put_path_by(paths, words);
		words[0] = set[i].sum | (uint64_t)set[i].place << 32;
		set[i].rsp = 0;
	}
}

void resident_way_back(uint64_t *context)
{
	uint64_t *rsp = &context[0xa0 / sizeof(uint64_t)], *rip = rsp + 1;
	const struct wire_control *control =
		(const struct wire_control *)(uintptr_t)own_bank()->control;
	struct wire_shown *shown = find_shown(own_bank(), control, *rsp);
	uint64_t moved = shown && shown->rip == *rip ? shown->code : 0;

	if (!moved)
		moved = way_of(control, *rip);
	if (!moved)
		moved = led_to(control, *rip);
	if (!moved)
		moved = *rip;
	if (shown && shown->path && moved == shown->code && !own_bank()->phases)
		go_on_path(own_bank(), shown);
	if (shown && !shown->went) {
		shown->went = moved;
		if (own_bank()->phases)
			shown->view = own_bank()->view;
	}
	if (rip[1] & WIRE_TRAP_FLAG) {
		own_bank()->stepped = *rip;
		own_bank()->stepped_code = moved;
	}
	*rip = moved;
}
