#include "session/position/residues.h"

#include "code/plan/position.h"
#include "session/position/path_frames.h"
#include "session/position/signal_frames.h"
#include "session/position/view.h"
#include "session/state/image_run.h"
#include "session/state/module.h"

#include <stdlib.h>

/* Adds a residue to the image that the thread counts in. Outside of counting none is
 * needed. */
static void add_residue_of(struct thread *thread, uint32_t phase, uint32_t file,
			   struct edges_residue residue)
{
	struct image_run *image = thread->process ? thread->process->image : NULL;

	if (image && image->slice)
		vector_push(
			&image->residues,
			((struct image_residue){image->slice - 1, (uint32_t)thread->tid,
						phase, file, residue}));
}

static void add_residue(struct thread *thread, uint32_t file,
			struct edges_residue residue)
{
	add_residue_of(thread, thread_phase(thread), file, residue);
}

void residues_add(struct thread *thread, uint32_t file, uint64_t address, int by)
{
	add_residue(thread, file, (struct edges_residue){.address = address, .by = by});
}

void residues_add_path(struct thread *thread, uint32_t file, uint64_t address,
		       uint32_t sum, int64_t by)
{
	add_residue(thread, file,
		    (struct edges_residue){
			    .address = address, .by = by, .path = true, .sum = sum});
}

void residues_came(struct thread *thread, const struct module *module, uint64_t address,
		   bool counts)
{
	add_residue(
		thread, module->file->index,
		(struct edges_residue){.address = address, .by = -1, .counts = counts});
}

void residues_left(struct thread *thread, const struct signal_frame *shown)
{
	if (!shown->inherited)
		residues_stand(thread, shown, 1);
}

void residues_stand(struct thread *thread, const struct signal_frame *shown, int by)
{
	add_residue_of(thread, shown->counted, shown->file,
		       (struct edges_residue){.address = shown->address, .by = by});
}

/* Returns whether a place is in code that counts blocks, and not in a trampoline. */
static bool is_moved(const struct plan_position *place)
{
	return place->kind != PLAN_POSITION_START &&
	       place->kind != PLAN_POSITION_DISPLACED;
}

/* Returns whether a handler returns to the place where the thread was. The resident
 * has led the way back into relocated code, if it could. */
static bool goes_back(const struct signal_frame *shown, uint64_t rip)
{
	return rip && (rip == shown->rip || rip == shown->way);
}

/* Notes that a thread returned, and counts `phase` then. It changes the balance only in a
 * child of the handler's process, or if the handler has changed the phase. */
static void came_back(struct thread *thread, const struct signal_frame *shown,
		      uint32_t phase)
{
	if (!shown->inherited && shown->phase == phase)
		return;
	residues_left(thread, shown);
	add_residue_of(thread, phase, shown->file,
		       (struct edges_residue){.address = shown->address, .by = -1});
}

/* Notes that the resident has led a changed context behind the probes. */
static void note_led(struct thread *thread, uint64_t rip, uint32_t phase)
{
	const struct module *module = space_module_of_code(thread->process->space, rip);
	struct plan_position place;

	if (!module)
		return;
	place = module_locate(module, rip);
	if (is_moved(&place))
		add_residue_of(
			thread, phase, module->file->index,
			(struct edges_residue){.address = place.original, .by = -1});
}

bool residues_over(struct thread *thread, const struct signal_frame *shown, uint64_t went,
		   uint32_t phase)
{
	if (goes_back(shown, went)) {
		came_back(thread, shown, phase);
		return true;
	}
	residues_left(thread, shown);
	note_led(thread, went, phase);
	return false;
}

bool residues_return(struct thread *thread, uint64_t rsp, uint64_t rip)
{
	for (size_t i = thread->signal_frames.count; i-- > 0;) {
		const struct signal_frame *shown = &thread->signal_frames.items[i];

		if (shown->rsp != rsp)
			continue;
		for (size_t inner = thread->signal_frames.count; --inner > i;)
			residues_left(thread, &thread->signal_frames.items[inner]);
		signal_frames_cut(thread, i);
		return residues_over(thread, shown, rip, thread_phase(thread));
	}
	note_led(thread, rip, thread_phase(thread));
	return false;
}

void residues_end(struct thread *thread)
{
	path_frames_end(thread);
	signal_frames_take_returned(thread);
	vector_for_each (&thread->signal_frames, shown)
		residues_left(thread, shown);
	signal_frames_cut(thread, 0);
}

static int compare_residues(const void *left, const void *right)
{
	const struct image_residue *a = left, *b = right;
	int groups = group_compare(GROUP_KEY_OF(a), GROUP_KEY_OF(b));

	if (groups)
		return groups;
	if (a->residue.address != b->residue.address)
		return a->residue.address < b->residue.address ? -1 : 1;
	if (a->residue.path != b->residue.path)
		return a->residue.path - b->residue.path;
	if (a->residue.sum != b->residue.sum)
		return a->residue.sum < b->residue.sum ? -1 : 1;
	return a->residue.counts - b->residue.counts;
}

/* Adds up sorted residues. A thread that stood at one place all the time came and
 * left: its residues cancel. */
static void add_up_sorted(struct image_run *image)
{
	struct image_residue *items = image->residues.items;
	size_t kept = 0;

	for (size_t i = 0, end; i < image->residues.count; i = end) {
		struct image_residue sum = items[i];

		for (end = i + 1; end < image->residues.count &&
				  !compare_residues(&items[i], &items[end]);
		     end++)
			sum.residue.by += items[end].residue.by;
		if (sum.residue.by)
			items[kept++] = sum;
	}
	image->residues.count = kept;
}

void residues_sort(struct image_run *image, bool threads, bool add_up)
{
	if (!threads)
		vector_for_each (&image->residues, residue)
			residue->thread = 0;
	if (image->residues.count)
		qsort(image->residues.items, image->residues.count,
		      sizeof(*image->residues.items), compare_residues);
	if (add_up)
		add_up_sorted(image);
}
