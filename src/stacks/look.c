#include "stacks/look.h"

#include "base/clock.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Frames by which functions of the C library are known that wait. */
enum { NAMED_FRAMES = 6 };

struct stacks *stacks_create(struct sampler *sampler)
{
	struct stacks *stacks = memory_allocate_zeroed(1, sizeof(*stacks));

	stacks->sampler = stacks->walker.sampler = sampler;
	stacks->buffer = memory_allocate(STACKS_BYTES);
	return stacks;
}

void stacks_clear(struct stacks *stacks)
{
	vector_for_each (&stacks->rows, row)
		text_deinit(&row->object.words);
	stacks->rows.count = 0;
}

void stacks_destroy(struct stacks *stacks)
{
	if (!stacks)
		return;
	stacks_clear(stacks);
	vector_deinit(&stacks->rows);
	vector_for_each (&stacks->places, place)
		free(place->names);
	vector_deinit(&stacks->places);
	table_deinit(&stacks->known);
	stacks_sockets_deinit(&stacks->sockets);
	free(stacks->buffer);
	free(stacks);
}

static uint32_t walk_stack(struct stacks *stacks, const struct stacks_thread *thread,
			   size_t size)
{
	struct sample_record record = {
		.pid = thread->pid,
		.tid = thread->tid,
		.has_registers = true,
		.stack = stacks->buffer,
		.stack_size = size,
	};

	record.registers[UNWIND_RSP] = thread->call.rsp;
	record.registers[SAMPLE_PC] = thread->call.pc;
	return stacks_walk(&stacks->walker, stacks->image, &record, true);
}

/* The place of a thread that waits; NULL: it has run meanwhile. */
static struct stacks_place *find_place(struct stacks *stacks,
				       const struct stacks_thread *thread)
{
	uint64_t *index = table_insert(&stacks->known,
				       (uint64_t)stacks->image << 32 | thread->tid, NULL);
	struct stacks_place *place;
	struct text names = {0};
	size_t size;

	if (!*index) {
		vector_add(&stacks->places);
		*index = stacks->places.count;
	}
	place = &stacks->places.items[*index - 1];
	if (place->node && place->moment == thread->moment)
		return place;
	size = stacks_thread_copy(thread, stacks->buffer);
	if (!size)
		return NULL;
	place->node = walk_stack(stacks, thread, size);
	sampler_add_names(stacks->sampler, place->node, NAMED_FRAMES, &names);
	free(place->names);
	place->names = names.data;
	place->moment = thread->moment;
	return place;
}

static void look_at_thread(void *context, uint32_t tid)
{
	struct stacks *stacks = context;
	struct stacks_row row = {.image = stacks->image};
	const struct stacks_place *place;

	if (!stacks_thread_read(stacks->pid, tid, &row.thread))
		return;
	sample_processes_thread(&stacks->sampler->processes, stacks->pid, tid);
	if (row.thread.in_kernel) {
		place = find_place(stacks, &row.thread);
		if (place) {
			row.node = place->node;
			stacks_object_find(
				&stacks->sockets, stacks->pid, &row.thread.call,
				place->names ? place->names : "", NULL, &row.object);
		} else {
			row.thread.in_kernel = false;
			row.thread.state = STACKS_RUNNING;
		}
	}
	if (row.object.holder && row.thread.state == STACKS_WAITING)
		row.thread.state = STACKS_BLOCKED;
	vector_push(&stacks->rows, row);
}

/* A process that nobody tells of may have executed another program since. */
static void see_program(struct stacks *stacks)
{
	struct sample_processes *processes = &stacks->sampler->processes;
	const struct sample_image *image = &processes->images.items[stacks->image];
	char path[64], program[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/exe", stacks->pid);
	const ssize_t length = readlink(path, program, sizeof(program) - 1);

	if (length <= 0)
		return;
	program[length] = '\0';
	if (image->program && !strcmp(image->program, program))
		return;
	sample_processes_execute(processes, stacks->pid);
	sample_processes_read(processes, stacks->pid);
	stacks->image = sample_processes_find(processes, stacks->pid);
}

void stacks_look(struct stacks *stacks, uint32_t pid)
{
	stacks->pid = pid;
	stacks->image = sample_processes_find(&stacks->sampler->processes, pid);
	if (!stacks->samples_run)
		see_program(stacks);
	stacks_visit_threads(pid, look_at_thread, stacks);
}

void stacks_begin_sums(struct stacks *stacks, uint64_t interval_ns, bool samples_run)
{
	struct sampler *sampler = stacks->sampler;
	struct sample_event *first = &sampler->events.items[0];

	free(first->name);
	first->name = memory_copy_string(stacks_state_names[STACKS_RUNNING]);
	stacks->samples_run = samples_run;
	for (uint32_t state = 0; state < STACKS_STATES; state++) {
		struct sample_event *event =
			state ? vector_add(&sampler->events) : &sampler->events.items[0];

		if (state)
			event->name = memory_copy_string(stacks_state_names[state]);
		event->is_clock = true;
		event->period = interval_ns;
		stacks->events[state] = (uint32_t)(event - sampler->events.items);
		sampler->source.tallies[stacks->events[state]].opened = true;
	}
}

/* The path of the thread that holds what a row waits for; 0: not known. */
static uint32_t holder_node(const struct stacks *stacks, const struct stacks_row *row)
{
	if (!row->object.holder)
		return 0;
	vector_for_each (&stacks->rows, other)
		if (other->thread.tid == row->object.holder)
			return other->node;
	return 0;
}

static void add_row(struct stacks *stacks, const struct stacks_row *row, uint64_t ns)
{
	struct sampler *sampler = stacks->sampler;
	struct sample_sum sum = {
		.node = row->node,
		.image = row->image,
		.tid = row->thread.tid,
		.event = stacks->events[row->thread.state],
		.samples = 1,
		.events = ns,
	};

	if (row->thread.state == STACKS_RUNNING && stacks->samples_run)
		return;
	if (!sum.node)
		sum.node = sample_sums_node(&sampler->sums, 0, SAMPLE_RUNNING, 0);
	if (row->object.words.length)
		sum.wait = sample_sums_wait(
			&sampler->sums, stacks_kind_names[row->object.kind],
			row->object.words.data, holder_node(stacks, row));
	sampler->taken[sum.event]++;
	sample_sums_add(&sampler->sums, &sum);
}

/* Children of processes of which nobody tells. */
static void find_children(void *context, uint32_t tid)
{
	struct stacks *stacks = context;
	struct sample_processes *processes = &stacks->sampler->processes;
	char path[64];
	uint32_t child;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/children",
		 stacks->pid, tid);
	FILE *file = fopen(path, "re");

	while (file && fscanf(file, "%" SCNu32, &child) == 1)
		if (!table_find(&processes->by_pid, child, NULL))
			sample_processes_fork(processes, child, stacks->pid);
	if (file)
		fclose(file);
}

void stacks_take(struct stacks *stacks)
{
	struct sample_processes *processes = &stacks->sampler->processes;
	const uint64_t now = clock_now_ns();
	const uint64_t elapsed = stacks->last_ns ? now - stacks->last_ns : 0;
	uint64_t current;

	stacks->last_ns = now;
	if (!elapsed || !stacks->sampler->begin_ns)
		return;
	stacks->looks++;
	/* Sockets are others by now, maybe, with numbers that are used again. */
	if (stacks->looks % 64 == 0)
		stacks_sockets_deinit(&stacks->sockets);
	/* While it is looked at, others come: without those that tell of them. */
	for (uint32_t i = 0; i < processes->images.count; i++) {
		const uint32_t pid = processes->images.items[i].pid;

		if (processes->images.items[i].ended ||
		    !table_find(&processes->by_pid, pid, &current) || current != i + 1)
			continue;
		if (!sampler_counts(stacks->sampler, pid, now))
			continue;
		stacks_clear(stacks);
		stacks_look(stacks, pid);
		if (!stacks->samples_run)
			stacks_visit_threads(pid, find_children, stacks);
		if (!stacks->rows.count)
			sample_processes_end(processes, pid);
		vector_for_each (&stacks->rows, row)
			add_row(stacks, row, elapsed);
	}
}
