#include "sample/stack.h"

#include "sample/call_site.h"
#include "sample/partial.h"

#include <string.h>

enum { WORD = 8 };

static bool find_rule(void *context, uint64_t pc, struct unwind_rule *ret_rule)
{
	const struct sample_walk *walk = context;
	struct sample_map map;

	return sample_processes_place(walk->processes, walk->image, pc, &map) &&
	       sample_module_rule(walk->processes->modules.items.items[map.module],
				  pc + map.delta, ret_rule);
}

static bool read_word(void *context, uint64_t address, uint64_t *ret_word)
{
	const struct sample_walk *walk = context;
	const struct sample_record *record = walk->record;
	const uint64_t at = address - record->registers[UNWIND_RSP];

	if (record->stack_size < WORD || at > record->stack_size - WORD)
		return false;
	memcpy(ret_word, record->stack + at, WORD);
	return true;
}

static bool read_caller(void *context, uint64_t address, uint64_t *ret_word)
{
	const struct sample_walk *walk = context;

	if (!read_word(context, address, ret_word))
		return false;
	*ret_word = walk->show_caller(walk->context, *ret_word);
	return true;
}

/* Code that is not understood and was interrupted before it has a frame of its own, as a
 * stub of the procedure linkage table: what called it is on top of the stack. */
static bool leave_stub(const struct sample_walk *walk, struct unwind_place *place)
{
	uint64_t pc;

	if (!place->exact ||
	    !read_caller((void *)(uintptr_t)walk, place->registers[UNWIND_RSP], &pc) ||
	    !sample_is_after_call(walk->processes, walk->image, pc, NULL))
		return false;
	place->registers[UNWIND_RSP] += WORD;
	place->pc = pc;
	place->exact = false;
	return true;
}

/* Code without call-frame information may keep a chain of frame pointers. */
static bool follow_pointer(const struct sample_walk *walk, struct unwind_place *place)
{
	void *context = (void *)(uintptr_t)walk;
	const uint64_t frame = place->registers[UNWIND_RBP];
	struct sample_map map;
	uint64_t caller, pc;

	if (frame % WORD || frame < place->registers[UNWIND_RSP] ||
	    !read_word(context, frame, &caller) ||
	    !read_caller(context, frame + WORD, &pc) ||
	    !sample_processes_place(walk->processes, walk->image, pc - 1, &map))
		return false;
	place->registers[UNWIND_RSP] = frame + 2 * WORD;
	place->registers[UNWIND_RBP] = caller;
	place->pc = pc;
	place->exact = false;
	return true;
}

/* Whether a walk that is stuck is at a frame that began behind the copied stack. */
static bool is_at_end(const struct sample_walk *walk, const struct unwind_place *place)
{
	enum { NEAR = 1024 };
	const struct sample_record *record = walk->record;
	const uint64_t used =
		place->registers[UNWIND_RSP] - record->registers[UNWIND_RSP];

	return record->stack_size && used + NEAR >= record->stack_size;
}

void sample_stack_walk(const struct sample_walk *walk, struct sample_path *ret_path)
{
	const struct sample_record *record = walk->record;
	const struct unwind_view view = {.context = (void *)(uintptr_t)walk,
					 .find_rule = find_rule,
					 .read = read_word,
					 .read_return = read_caller};
	struct unwind_place place = {.pc = walk->pc, .exact = true};

	memcpy(place.registers, record->registers, sizeof(place.registers));
	place.registers[UNWIND_RSP] = walk->rsp;
	ret_path->count = 0;
	ret_path->addresses[ret_path->count++] = walk->pc;
	ret_path->whole = !record->stack_size;
	while (ret_path->count < SAMPLE_FRAMES_MAX && record->stack_size) {
		bool signal;
		enum unwind_step step = unwind_leave(&view, &place, &signal);

		if (step == UNWIND_STUCK && sample_partial_find(walk, &view, &place))
			step = unwind_leave(&view, &place, &signal);
		if (step == UNWIND_OUTERMOST ||
		    (step == UNWIND_STUCK && !leave_stub(walk, &place) &&
		     !follow_pointer(walk, &place))) {
			ret_path->whole =
				step == UNWIND_OUTERMOST || !is_at_end(walk, &place);
			break;
		}
		if (!place.pc)
			continue;
		ret_path->addresses[ret_path->count++] = place.pc - !place.exact;
	}
}
