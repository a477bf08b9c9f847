#include "session/position/stacks.h"

#include "code/locate/address_map.h"
#include "control/maps.h"
#include "control/remote.h"
#include "session/cache/module_text.h"
#include "session/position/reentry.h"
#include "session/position/settle.h"
#include "session/position/signal_frames.h"
#include "session/state/module.h"

#include <string.h>
#include <unistd.h>

enum {
	PIECE = 64 << 10,
	/* Bytes searched of one stack, and number of stacks searched for a thread. */
	STACK_MAX = 8 << 20,
	STACKS_MAX = 8,
	FRAME_PLACE = 8 + UCONTEXT_RSP, /* offset from the address to which a handler
					   returns first */
	FRAME_ALIGNMENT = 16,           /* alignment of the part behind that address */
	/* Greatest distance in bytes of a frame from the interrupted stack pointer,
	 * with all existing registers saved, or, on a stack of its own, from the stack
	 * pointer of a system call. */
	FRAME_DISTANCE = 16 << 10,
};

struct saved {
	struct saved_place place;
	uint64_t flags;
	uint16_t code_segment;
};

struct stacks VECTOR(uint64_t); /* stack pointers */

/* State of a search through stacks. */
struct search {
	struct thread *thread;
	const struct space *space;
	const struct maps *maps;
	struct stacks stacks;
	struct VECTOR(struct signal_frame) shown; /* the innermost first */
};

/* Code to which handlers return: mov $15, %rax; syscall (rt_sigreturn). */
static const uint8_t return_code[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05};
enum { RETURN_CALL = 7 }; /* offset of the system call in it */

static const struct module *module_of_return(const struct space *space, uint64_t address)
{
	vector_for_each (&space->modules, module) {
		if (address < module->text_start || address >= module->text_end)
			continue;
		const uint8_t *bytes = module_file_original(
			module->file, address - module->bias, sizeof(return_code));

		return bytes && !memcmp(bytes, return_code, sizeof(return_code)) ? module
										 : NULL;
	}
	return NULL;
}

/* Returns whether the resident leads on a return to that place. */
static bool is_led(const struct space *space, uint64_t restorer)
{
	const struct module *module = module_of_return(space, restorer);
	uint32_t offset;

	return module &&
	       plan_jump_at(module->file->plan, restorer - module->bias, &offset);
}

static uint64_t end_of_stack(const struct maps *maps, uint64_t stack)
{
	const struct mapping *mapping = maps_find(maps, stack);

	if (!mapping)
		return stack;
	return mapping->end - stack < STACK_MAX ? mapping->end : stack + STACK_MAX;
}

/* Returns whether a handler that returns to `restorer` may return to `rip`: not to
 * bytes that are replaced, unless it is led on. */
static bool may_go_back(struct search *search, uint64_t restorer, uint64_t at,
			const struct saved_place *place)
{
	const uint64_t rip = place->rip;
	uint64_t way = 0;
	const struct module *module = space_module_of_text(search->space, rip);
	uint32_t offset;

	if (!module || !module->file->plan->map_rows.count ||
	    !plan_moved_to(module->file->plan, rip - module->bias, true, &offset))
		return !settle_is_in_patch(search->space, rip);
	if (!is_led(search->space, restorer))
		return false;
	reentry_find(search->space, rip, &way);
	vector_push(&search->shown, ((struct signal_frame){.rip = rip,
							   .rsp = place->rsp,
							   .way = way,
							   .address = rip - module->bias,
							   .file = module->file->index,
							   .frame = at,
							   .inherited = true}));
	return true;
}

/* Reads the context behind a word to which handlers return. Returns false if the
 * kernel did not write it: the word may be left over from sigaction(2). */
static bool find_saved(const struct search *search, uint64_t at, struct saved *ret_saved)
{
	return !remote_failed(remote_read(search->space->memory_fd, at + FRAME_PLACE,
					  ret_saved, sizeof(*ret_saved))) &&
	       ret_saved->code_segment == CODE_SEGMENT &&
	       maps_find(search->maps, ret_saved->place.rsp);
}

/* Examines a word of a stack from `start` to `end`. Stacks that were left for a
 * handler's stack are put on the list. Returns false as stacks_are_free does. */
static bool look_at_word(struct search *search, uint64_t at, uint64_t word,
			 const uint64_t range[2])
{
	struct saved saved;
	uint64_t inner;

	/* This is an instruction that a handler interrupted: return addresses never
	 * are such. */
	if (reentry_find_displaced(search->space, word, false, &inner))
		return false;
	if (!module_of_return(search->space, word) || !find_saved(search, at, &saved))
		return true;
	if (!may_go_back(search, word, at, &saved.place))
		return false;
	if (saved.place.rsp < range[0] || saved.place.rsp >= range[1])
		vector_push(&search->stacks, saved.place.rsp);
	return true;
}

static bool look_through(struct search *search, uint64_t stack)
{
	uint64_t words[PIECE / 8], end = end_of_stack(search->maps, stack);

	for (uint64_t at = stack & ~7ull; at < end;) {
		size_t size = end - at < PIECE ? end - at : PIECE;

		if (remote_failed(remote_read(search->space->memory_fd, at, words, size)))
			return false;
		for (size_t i = 0; i < size / 8; i++)
			if (!look_at_word(search, at + i * 8, words[i],
					  (const uint64_t[]){stack, end}))
				return false;
		at += size;
	}
	return true;
}

/* Adds the frames found to the thread's list, the innermost last. */
static void show_all(const struct search *search)
{
	struct thread *thread = search->thread;

	for (size_t i = search->shown.count; i-- > 0;) {
		bool known = false;

		vector_for_each (&thread->signal_frames, shown)
			known |= shown->rsp == search->shown.items[i].rsp;
		if (!known)
			signal_frames_put(thread, &search->shown.items[i]);
	}
}

bool stacks_are_free(struct thread *thread, const struct maps *maps,
		     const struct user_regs_struct *registers)
{
	struct search search = {
		.thread = thread, .space = thread->process->space, .maps = maps};
	bool good;

	/* The thread is about to return through bytes from which it is not led on. */
	if (module_of_return(search.space, registers->rip - RETURN_CALL))
		return false;
	vector_push(&search.stacks, registers->rsp);
	good = look_through(&search, registers->rsp);
	for (size_t i = 1; i < search.stacks.count && i < STACKS_MAX && good; i++)
		good = look_through(&search, search.stacks.items[i]);
	if (good)
		show_all(&search);
	vector_deinit(&search.stacks);
	vector_deinit(&search.shown);
	return good;
}

static bool is_frame(const struct signal_frame *shown, const uint8_t *frame)
{
	struct saved saved;

	memcpy(&saved, frame + FRAME_PLACE, sizeof(saved));
	return saved.place.rsp == shown->rsp && saved.place.rip == shown->rip &&
	       saved.code_segment == CODE_SEGMENT;
}

/* Finds a frame as stacks_find_frame does, from address `start` on. */
static uint64_t find_frame(const struct space *space, const struct signal_frame *shown,
			   uint64_t start)
{
	uint8_t bytes[FRAME_DISTANCE];
	uint64_t restorer;
	ssize_t size;

	start = (start & -(uint64_t)FRAME_ALIGNMENT) + FRAME_ALIGNMENT - sizeof(restorer);
	size = pread(space->memory_fd, bytes, sizeof(bytes), (off_t)start);
	for (ssize_t at = 0; at + FRAME_PLACE + (ssize_t)sizeof(struct saved) <= size;
	     at += FRAME_ALIGNMENT) {
		if (!is_frame(shown, bytes + at))
			continue;
		memcpy(&restorer, bytes + at, sizeof(restorer));
		return is_led(space, restorer) ? start + (uint64_t)at : 0;
	}
	return 0;
}

uint64_t stacks_find_frame(const struct thread *thread, const struct signal_frame *shown,
			   uint64_t rsp)
{
	const struct space *space = thread->process->space;
	const uint64_t lowest = shown->rsp - FRAME_DISTANCE;
	const bool near = rsp - lowest < FRAME_DISTANCE;

	return find_frame(space, shown, near ? rsp : lowest)
		       ?: find_frame(space, shown, rsp);
}
