#include "sample/partial.h"

#include "sample/call_site.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 8, FRAME_MAX = 1 << 16, FRAMES_MAX = 512 };

/* The function that code is in; 0: not known. */
static uint64_t function_start(const struct sample_walk *walk, uint64_t pc)
{
	struct sample_map map;

	if (!sample_processes_place(walk->processes, walk->image, pc, &map))
		return 0;
	struct sample_name name = sample_module_name(
		walk->processes->modules.items.items[map.module], pc + map.delta);
	const uint64_t start = name.offset - map.delta;

	free(name.function);
	return start;
}

/* Code of Go: mov %rbp,n(%rsp); lea n(%rsp),%rbp. */
static bool read_go(const uint8_t *code, const uint8_t *end, uint64_t *ret_distance)
{
	static const uint8_t saved[] = {0x48, 0x89, 0x6c, 0x24};
	static const uint8_t saved_far[] = {0x48, 0x89, 0xac, 0x24};
	uint32_t far;

	for (; end - code >= 16; code++) {
		if (!memcmp(code, saved, sizeof(saved)) && code[5] == 0x48 &&
		    code[6] == 0x8d && code[9] == code[4]) {
			*ret_distance = code[4];
			return true;
		}
		if (!memcmp(code, saved_far, sizeof(saved_far)) && code[8] == 0x48 &&
		    code[9] == 0x8d && !memcmp(code + 4, code + 12, sizeof(far))) {
			memcpy(&far, code + 4, sizeof(far));
			*ret_distance = far;
			return true;
		}
	}
	return false;
}

/* How far the frame pointer is above the stack pointer, by the code at a function's
 * start: push %rbp; mov %rsp,%rbp; other pushes; sub $n,%rsp. False: it is other code. */
static bool read_prologue(const struct sample_walk *walk, uint64_t start,
			  uint64_t *ret_distance)
{
	static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa};
	static const uint8_t set[] = {0x55, 0x48, 0x89, 0xe5};
	const uint8_t *code;
	size_t size = sample_code_bytes(walk->processes, walk->image, start, &code);
	uint64_t distance = 0;

	if (size < 16)
		return false;
	const uint8_t *const end = code + (size < 64 ? size : 64);

	if (!memcmp(code, landing, sizeof(landing)))
		code += sizeof(landing);
	if (memcmp(code, set, sizeof(set)) != 0)
		return read_go(code, end, ret_distance);
	for (code += sizeof(set); end - code > 8; distance += WORD) {
		const bool extended = code[0] == 0x41;

		if ((code[extended] & 0xf8) != 0x50)
			break;
		code += 1 + extended;
	}
	if (end - code > 8 && code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xec) {
		distance += code[3];
	} else if (end - code > 8 && code[0] == 0x48 && code[1] == 0x81 &&
		   code[2] == 0xec) {
		uint32_t more;

		memcpy(&more, code + 3, sizeof(more));
		distance += more;
	}
	*ret_distance = distance;
	return true;
}

/* Whether a return address lies where the frame would have it. */
static bool is_frame(const struct sample_walk *walk, const struct unwind_view *view,
		     uint64_t pointer, uint64_t offset, uint64_t *ret_target)
{
	uint64_t pc;

	return view->read_return(view->context, pointer + offset - WORD, &pc) &&
	       sample_is_after_call(walk->processes, walk->image, pc, ret_target);
}

static bool leads_out(const struct unwind_view *view, struct unwind_place place)
{
	bool signal;

	for (int i = 0; i < FRAMES_MAX; i++) {
		const enum unwind_step step = unwind_leave(view, &place, &signal);

		if (step != UNWIND_LEFT)
			return step == UNWIND_OUTERMOST;
	}
	return false;
}

bool sample_partial_find(const struct sample_walk *walk, const struct unwind_view *view,
			 struct unwind_place *place)
{
	const uint64_t rsp = place->registers[UNWIND_RSP];
	uint64_t offset = 2 * WORD, start, distance, target;
	struct unwind_rule rule;
	struct unwind_place tried = *place;

	if (!walk->partial || place->registers[UNWIND_RBP])
		return false;
	if (view->find_rule(view->context, place->pc - !place->exact, &rule)) {
		if (rule.base != UNWIND_RBP || rule.loaded)
			return false;
		offset = (uint64_t)(int64_t)rule.offset;
	} else if (place->exact && is_frame(walk, view, rsp, WORD, &target)) {
		return false; /* it has no frame */
	}
	start = function_start(walk, place->pc - !place->exact);
	if (start && read_prologue(walk, start, &distance) &&
	    is_frame(walk, view, rsp + distance, offset, &target)) {
		place->registers[UNWIND_RBP] = rsp + distance;
		return true;
	}
	for (uint64_t at = rsp; at < rsp + FRAME_MAX; at += WORD) {
		if (!is_frame(walk, view, at, offset, &target))
			continue;
		tried.registers[UNWIND_RBP] = at;
		if ((!start || target != start) && !leads_out(view, tried))
			continue;
		place->registers[UNWIND_RBP] = at;
		return true;
	}
	return false;
}
