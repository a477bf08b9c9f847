#include "session/position/signal_frames.h"

#include "session/position/path_frames.h"
#include "session/position/reentry.h"
#include "session/position/residues.h"
#include "session/position/stacks.h"
#include "session/position/view.h"
#include "wire/bank.h"

/* Two stack pointers further apart than this are on different stacks. */
#define STACK_MAX (64u << 20)

static struct wire_bank *bank_of(const struct thread *thread)
{
	return thread->bank ? thread->bank->shared : NULL;
}

/* Returns the number of frames that have a row in the bank. */
static uint32_t row_count(const struct thread *thread)
{
	if (!thread->bank)
		return 0;
	return thread->signal_frames.count < WIRE_SHOWN
		       ? (uint32_t)thread->signal_frames.count
		       : WIRE_SHOWN;
}

/* Writes a row with the way back: from the entry of a function, whose call is counted
 * by then, the resident alone would lead to the jump there, and the call would be
 * counted again. */
static void write_row(const struct thread *thread, size_t index)
{
	const struct signal_frame *shown = &thread->signal_frames.items[index];

	bank_of(thread)->shown[index] = (struct wire_shown){.rsp = shown->rsp,
							    .rip = shown->rip,
							    .code = shown->way,
							    .path = shown->path};
	bank_of(thread)->shown_count = row_count(thread);
}

void signal_frames_begin(const struct thread *thread)
{
	if (!thread->bank)
		return;
	bank_of(thread)->shown_count = 0;
	for (size_t i = 0; i < row_count(thread); i++)
		write_row(thread, i);
}

void signal_frames_put(struct thread *thread, const struct signal_frame *shown)
{
	struct signal_frame here = *shown;

	if (!here.inherited)
		here.phase = here.counted = thread_phase(thread);
	vector_push(&thread->signal_frames, here);
	if (thread->signal_frames.count <= row_count(thread))
		write_row(thread, thread->signal_frames.count - 1);
}

void signal_frames_set_counted(struct thread *thread, uint32_t phase)
{
	thread->signal_frames.items[thread->signal_frames.count - 1].counted = phase;
}

static struct signal_frame shown_here(const struct module *module,
				      const struct user_regs_struct *registers)
{
	return (struct signal_frame){.rip = registers->rip,
				     .rsp = registers->rsp,
				     .address = registers->rip - module->bias,
				     .file = module->file->index};
}

void signal_frames_add(struct thread *thread, const struct module *module,
		       const struct user_regs_struct *registers)
{
	struct signal_frame shown = shown_here(module, registers);

	reentry_find(thread->process->space, shown.rip, &shown.way);
	shown.path = path_frames_leave(thread, module, shown.address, shown.rsp);
	signal_frames_put(thread, &shown);
}

void signal_frames_add_way(struct thread *thread, const struct module *module,
			   const struct user_regs_struct *registers, uint64_t way)
{
	struct signal_frame shown = shown_here(module, registers);

	shown.way = way;
	signal_frames_put(thread, &shown);
}

void signal_frames_add_uncounted(struct thread *thread,
				 const struct user_regs_struct *registers)
{
	const struct module *module =
		reentry_before_stub(thread->process->space, registers->rip);
	struct signal_frame shown;

	if (!module)
		return;
	shown = shown_here(module, registers);
	shown.way = shown.rip;
	signal_frames_put(thread, &shown);
}

void signal_frames_cut(struct thread *thread, size_t count)
{
	thread->signal_frames.count = count;
	if (thread->bank)
		bank_of(thread)->shown_count = row_count(thread);
}

void signal_frames_take_returned(struct thread *thread)
{
	const size_t rows = row_count(thread);
	size_t first = 0;

	while (first < rows && !bank_of(thread)->shown[first].went)
		first++;
	if (first == rows)
		return;
	for (size_t i = thread->signal_frames.count; i-- > first;) {
		const struct wire_shown *row = &bank_of(thread)->shown[i];

		residues_over(thread, &thread->signal_frames.items[i],
			      i < rows ? row->went : 0,
			      i < rows ? view_phase_at(thread, row->view)
				       : thread_phase(thread));
	}
	signal_frames_cut(thread, first);
}

bool signal_frames_are_left(const struct thread *thread, uint64_t rsp, uint64_t then)
{
	const uint64_t end = thread->bank ? bank_of(thread)->stack_end : 0;

	return rsp >= then && rsp - then < STACK_MAX && (rsp < end) == (then < end);
}

void signal_frames_take_left(struct thread *thread, uint64_t rsp)
{
	while (thread->signal_frames.count) {
		const struct signal_frame *last =
			&thread->signal_frames.items[thread->signal_frames.count - 1];

		if (!signal_frames_are_left(thread, rsp, last->frame ?: last->rsp))
			return;
		residues_left(thread, last);
		signal_frames_cut(thread, thread->signal_frames.count - 1);
	}
}

void signal_frames_find_frame(struct thread *thread, uint64_t rsp)
{
	struct signal_frame *last;

	if (!thread->signal_frames.count)
		return;
	last = &thread->signal_frames.items[thread->signal_frames.count - 1];
	if (last->searched)
		return;
	last->searched = true;
	if (thread->signal_frames.count <= row_count(thread))
		last->frame = stacks_find_frame(thread, last, rsp);
}

bool signal_frames_are_watched(const struct thread *thread)
{
	if (thread->signal_frames.count > row_count(thread))
		return true;
	vector_for_each (&thread->signal_frames, shown)
		if (!shown->frame)
			return true;
	return false;
}
