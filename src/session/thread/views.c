#include "session/thread/views.h"

#include "base/text.h"
#include "control/phase_names.h"
#include "control/remote.h"
#include "session/position/view.h"
#include "session/state/memory.h"
#include "session/thread/injection.h"
#include "wire/bank.h"
#include "wire/phase.h"
#include "wire/spans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* How many views a thread gets at first, and later at most at a time. */
enum { FIRST_VIEWS = 4, VIEWS_AT_ONCE = 128 };

/* Each view is two mappings, of which the kernel lets a process have so many. */
enum { USUAL_MAPPINGS = 65530, MAPPINGS_SHARE = 4 };

static uint32_t most_views(void)
{
	static uint32_t most;
	const char *asked = getenv("TRAMMEL_PHASES");
	FILE *file;
	unsigned limit = USUAL_MAPPINGS;

	if (most)
		return most;
	file = fopen("/proc/sys/vm/max_map_count", "re");
	if (file && fscanf(file, "%u", &limit) != 1)
		limit = USUAL_MAPPINGS;
	if (file)
		fclose(file);
	most = limit / MAPPINGS_SHARE;
	if (asked && atoi(asked) > 0)
		most = (uint32_t)atoi(asked);
	return most;
}

/* Bytes at the beginning of a bank that all of its views share. */
static uint64_t front_size(const struct session *session)
{
	const struct collector *collector = session->options->collector;

	return collector->spans || collector->routines ? WIRE_SPANS_STACK_TOP
						       : WIRE_BANK_HEADER;
}

const char *phase_name(const struct session *session, uint32_t phase)
{
	if (phase <= ARENA_PHASE_NONE)
		return "(none)";
	if (phase == ARENA_PHASE_OTHER || phase - ARENA_PHASES >= session->phases.count)
		return "(other)";
	return session->phases.strings[phase - ARENA_PHASES];
}

void views_begin_bank(const struct session *session, struct bank *bank, uint32_t phase)
{
	if (!session->options->by_region.on)
		return;
	if (bank->phase == ARENA_PHASE_UNSET)
		bank->phase = phase ? phase : ARENA_PHASE_NONE;
	if (bank->shared->quiet || bank->common)
		return;
	bank->shared->phases = WIRE_PHASES_ON;
	if (bank->phase != ARENA_PHASE_NONE)
		bank->shared->phases |= WIRE_PHASES_INSIDE;
}

static void end_bank(struct wire_bank *bank)
{
	bank->phases = 0;
	bank->generation = 0; /* it looks again */
}

void views_end(const struct thread *thread)
{
	vector_for_each (&thread->old_banks, bank)
		end_bank((*bank)->shared);
	if (thread->bank)
		end_bank(thread->bank->shared);
}

/* How many views a bank has in an address space; NULL: all banks. */
static uint32_t count_views(const struct space *space, const struct bank *front)
{
	uint32_t count = 0;

	vector_for_each (&space->chunks, chunk)
		if (front ? (*chunk)->front == front : (*chunk)->front != NULL)
			count += (*chunk)->bank_count - (*chunk)->first;
	vector_for_each (&space->inherited, chunk)
		count += front ? 0 : (*chunk)->bank_count - (*chunk)->first;
	return count;
}

static bool may_inject(const struct thread *thread)
{
	return remote_filters(thread->tid) == thread->process->space->filters;
}

/* Says once what the limit was. */
static void note_limit(struct thread *thread, const char *format, uint32_t limit)
{
	struct image_run *image = thread->process->image;
	struct text reason = {0};

	if (image->reason)
		return;
	text_format(&reason, format, limit);
	text_add(&reason, ": what it did in the others is counted as (other)");
	image->reason = reason.data;
}

static void unmap_views(struct session *session, struct thread *thread, uint64_t address,
			uint64_t size)
{
	struct wire_batch batch = {0};

	BATCH_ADD(&batch, SYS_munmap, address, size, 0, 0, 0, 0);
	trm_error_destroy(space_run(session, thread, &batch));
}

/* Adds calls that map the front of a bank at the beginning of each of its views from
 * number `first` on, as many as fit; the first view is `addend` bytes behind `address`,
 * which may be the result of a call. Returns the number of the next view. */
static uint32_t add_fronts(const struct session *session, struct wire_batch *batch,
			   const struct bank *front, uint64_t address, uint64_t addend,
			   uint32_t first, uint32_t count)
{
	enum { TO = 4 }; /* the argument that says where */

	for (; first < count && batch->count < WIRE_BATCH_MAX; first++) {
		const unsigned int call = BATCH_ADD(
			batch, SYS_mremap, front->address, 0, front_size(session),
			MREMAP_MAYMOVE | MREMAP_FIXED, address, 0);

		batch->calls[call].added_to = TO;
		batch->calls[call].addend = addend + first * front->chunk->stride;
	}
	return first;
}

static bool all_worked(const struct wire_batch *batch)
{
	for (uint32_t i = 0; i < batch->count; i++)
		if (batch->calls[i].result < 0)
			return false;
	return true;
}

/* The chunk with the names of a thread's views; NULL: there is none. */
static struct arena_chunk *chunk_with_names(const struct thread *thread)
{
	vector_for_each (&thread->process->space->chunks, chunk)
		if ((*chunk)->front == thread->bank && (*chunk)->first)
			return *chunk;
	return NULL;
}

/* The first fronts are mapped together with the views themselves, `count` of them behind
 * room for names, which takes as much as `first`. */
static struct trm_error *map_views(struct session *session, struct thread *thread,
				   struct bank *front, uint64_t offset, uint32_t first,
				   uint32_t count)
{
	struct space *space = thread->process->space;
	const uint64_t size = front->chunk->stride * (first + count);
	struct wire_batch batch = {0};
	struct arena_chunk *chunk;
	struct trm_error *error;
	uint64_t addend, address;
	const unsigned int call = batch_add_mapping(&batch, space->family->arena, false,
						    offset, size, 0, &addend);
	uint32_t done = add_fronts(session, &batch, front, WIRE_RESULT(call), addend,
				   first, first + count);

	TRM_TRY(space_run(session, thread, &batch));
	if (batch.calls[call].result < 0)
		return trm_error_system((int)-batch.calls[call].result,
					"no memory for views");
	address = (uint64_t)batch.calls[call].result + addend;
	error = NULL;
	while (!error && all_worked(&batch) && done < first + count) {
		batch = (struct wire_batch){0};
		done = add_fronts(session, &batch, front, address, 0, done,
				  first + count);
		error = space_run(session, thread, &batch);
	}
	if (!error && !all_worked(&batch))
		error = trm_error_create(TRM_ERROR_LIMIT, "no memory for views");
	if (!error)
		error = arena_add_views(space->family->arena, front, offset, address,
					first, count, &chunk);
	if (error) {
		unmap_views(session, thread, address, size);
		return error;
	}
	vector_push(&space->chunks, chunk);
	chunk->names = chunk_with_names(thread);
	session_note_change(session);
	return NULL;
}

/* How many views the room for names takes. */
static uint32_t slots_of_names(const struct thread *thread, const struct bank *front)
{
	const uint64_t stride = front->chunk->stride;

	return remote_has_address_limit(thread->tid) || chunk_with_names(thread)
		       ? 0
		       : (uint32_t)((sizeof(struct wire_phase_names) + stride - 1) /
				    stride);
}

/* As many views again as there are, within limits. */
static struct trm_error *add_views(struct session *session, struct thread *thread,
				   struct bank *front)
{
	struct space *space = thread->process->space;
	const uint32_t there = count_views(space, NULL), most = most_views();
	const uint32_t own = count_views(space, front);
	uint32_t count = own ? own : FIRST_VIEWS;
	const uint32_t first = slots_of_names(thread, front);
	struct trm_error *error;
	uint64_t offset;

	count = count < VIEWS_AT_ONCE ? count : VIEWS_AT_ONCE;
	if (remote_has_address_limit(thread->tid))
		count = 2;
	count = there + count <= most ? count : most - there;
	if (there >= most || (!own && count < 2)) {
		note_limit(thread,
			   "it was in more than %u regions, threads and paths told apart",
			   most_views());
		return trm_error_create(TRM_ERROR_LIMIT, "too many views");
	}
	if (!may_inject(thread))
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"thread %d is under a system call filter",
					thread->tid);
	TRM_TRY(memory_ask(session, MEMORY_LEAST));
	TRM_TRY(arena_allocate(space->family->arena,
			       front->chunk->stride * (first + count), &offset));
	error = map_views(session, thread, front, offset, first, count);
	if (error)
		arena_free(space->family->arena, offset,
			   front->chunk->stride * (first + count));
	return error;
}

/* The view of a phase in the thread's address space, if there is one. */
static struct bank *find_view(const struct thread *thread, uint32_t phase)
{
	phase_names_learn(thread->process->space->family->arena, thread->bank);
	vector_for_each (&thread->process->space->chunks, chunk)
		for (uint32_t i = 0;
		     (*chunk)->front == thread->bank && i < (*chunk)->used; i++)
			if ((*chunk)->views.items[i]->phase == phase)
				return (*chunk)->views.items[i];
	return NULL;
}

/* A view there that counts nothing yet; NULL: there is none. */
static struct bank *take_free(const struct thread *thread, uint32_t phase)
{
	vector_for_each (&thread->process->space->chunks, item) {
		struct arena_chunk *chunk = *item;
		struct bank *view;

		if (chunk->front != thread->bank || chunk->used == chunk->views.count)
			continue;
		view = chunk->views.items[chunk->used++];
		view->phase = phase;
		return view;
	}
	return NULL;
}

/* The same, or a new one. */
static struct bank *take_view(struct session *session, struct thread *thread,
			      uint32_t phase)
{
	struct bank *view = take_free(thread, phase);

	struct trm_error *error;

	if (view || thread->bank->full)
		return view;
	error = add_views(session, thread, thread->bank);
	thread->bank->full = error != NULL;
	trm_error_destroy(error);
	return take_free(thread, phase);
}

/* The first view of a bank is that of the phases for which there is none. Without it, the
 * bank itself is. */
static struct bank *view_of_others(struct session *session, struct thread *thread)
{
	struct bank *front = thread->bank;
	struct bank *others = find_view(thread, ARENA_PHASE_OTHER);

	if (!others && front->phase != ARENA_PHASE_OTHER)
		others = take_view(session, thread, ARENA_PHASE_OTHER);
	if (!others) {
		front->phase = ARENA_PHASE_OTHER;
		others = front;
	}
	return others;
}

static struct bank *make_view(struct session *session, struct thread *thread,
			      uint32_t phase)
{
	struct bank *others, *view;

	if (phase == bank_phase(thread->bank))
		return thread->bank;
	view = find_view(thread, phase);
	if (view)
		return view;
	others = view_of_others(session, thread);
	if (phase == ARENA_PHASE_OTHER || others == thread->bank)
		return others;
	return take_view(session, thread, phase) ?: others;
}

/* Has the library in the program take all further views that are there by itself. The
 * thread waits, or has not used the bank yet. */
static void grant_views(const struct thread *thread, struct wire_phase_names *names)
{
	names->stride = thread->bank->chunk->stride;
	if (names->next < names->end)
		return;
	vector_for_each (&thread->process->space->chunks, item) {
		struct arena_chunk *chunk = *item;

		if (chunk->front != thread->bank || chunk->used == chunk->views.count)
			continue;
		names->next =
			chunk->address + (chunk->first + chunk->used) * chunk->stride;
		names->end = chunk->address + chunk->bank_count * chunk->stride;
		chunk->used = (uint32_t)chunk->views.count;
		return;
	}
}

/* Tells the library which view a phase has, and how it finds others by itself. */
static void tell_view(const struct thread *thread, const char *name,
		      const struct bank *view, const struct bank *others)
{
	struct arena_chunk *chunk = chunk_with_names(thread);
	struct wire_phase_names *names = phase_names_in(chunk);

	if (!names)
		return;
	names->other = others->address;
	names->full |= view == others;
	if (view != others && strlen(name) <= WIRE_PHASE_TEXT &&
	    !phase_names_find(names, name, strlen(name)))
		phase_names_add(names, view->address, name, strlen(name));
	grant_views(thread, names);
	thread->bank->shared->phase_names = chunk->address;
}

void views_answer(struct session *session, struct thread *thread, const char *name,
		  struct wire_phase *ret_answer)
{
	uint32_t phase = ARENA_PHASE_OTHER;

	if (!thread->bank || !thread->bank->shared->phases || thread->bank->common)
		return;
	if (!name)
		note_limit(thread, "it was in paths of regions longer than %u bytes",
			   WIRE_PHASE_TEXT);
	if (name && !*name)
		phase = ARENA_PHASE_NONE;
	else if (name)
		phase = ARENA_PHASES + string_table_intern(&session->phases, name);
	struct bank *view = make_view(session, thread, phase);
	const struct bank *others = view_of_others(session, thread);

	ret_answer->view = view->address;
	ret_answer->other = others->address;
	if (name)
		tell_view(thread, name, view, others);
	session_note_change(session);
}

void views_enter(struct session *session, struct thread *thread, uint32_t phase)
{
	struct bank *view;

	phase = phase ? phase : ARENA_PHASE_NONE;
	if (!session->options->by_region.on || !thread->bank || thread->bank->common ||
	    bank_phase(thread->bank) == phase)
		return;
	view = make_view(session, thread, phase);
	if (phase != ARENA_PHASE_OTHER)
		tell_view(thread,
			  phase == ARENA_PHASE_NONE ? "" : phase_name(session, phase),
			  view, view_of_others(session, thread));
	if (view != thread->bank &&
	    !remote_failed(remote_set_gs_base(thread->tid, view->address)))
		thread->bank->shared->view = view->address;
}
