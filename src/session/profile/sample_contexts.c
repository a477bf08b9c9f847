#include "session/profile/sample_contexts.h"

#include "context/cursor.h"

#include <string.h>

/* A thread's samples, which are walked beside its trace. */
struct placing {
	const struct sampler *sampler;
	struct sample_contexts *contexts;
	const struct context_process *process;
	const struct context_known_thread *thread;
	struct sample_kept *samples;
	size_t count, at;
	uint32_t path;     /* in which the thread is at `at` */
	uint32_t *numbers; /* of contexts, by path, + 1; 0: not known yet */
};

static uint32_t number_of(struct placing *placing, uint32_t path)
{
	struct text text = {0};

	if (placing->numbers[path])
		return placing->numbers[path] - 1;
	context_path_add(placing->process, placing->thread, path, &text);
	placing->numbers[path] =
		sample_contexts_number(placing->contexts, text.data ? text.data : "") + 1;
	text_deinit(&text);
	return placing->numbers[path] - 1;
}

/* Whether a sample is of the program that wrote the spool, which began after that: and
 * not of the one that the process executed later. */
static bool is_of(const struct placing *placing, const struct sample_kept *sample)
{
	const uint64_t begin = placing->process->head->begin.ns;

	return sample->time >= begin &&
	       placing->sampler->processes.images.items[sample->sum.image].begin_ns <=
		       begin;
}

static void place_until(struct placing *placing, uint64_t ns)
{
	for (; placing->at < placing->count; placing->at++) {
		struct sample_kept *sample = &placing->samples[placing->at];

		if (sample->time >= ns)
			return;
		if (is_of(placing, sample))
			sample->sum.context = number_of(placing, placing->path);
	}
}

static void see_move(void *context, uint64_t ns, uint32_t path)
{
	struct placing *placing = context;

	place_until(placing, ns);
	placing->path = path;
}

static void place_thread(struct sampler *sampler, const struct context_process *process,
			 const struct context_known_thread *thread)
{
	struct placing placing = {.sampler = sampler,
				  .contexts = &sampler->contexts,
				  .process = process,
				  .thread = thread};

	placing.samples = sample_contexts_of(placing.contexts, process->head->pid,
					     thread->tid, &placing.count);
	if (!placing.count || !thread->paths.count)
		return;
	placing.numbers =
		memory_allocate_zeroed(thread->paths.count, sizeof(*placing.numbers));
	context_cursor_follow(process, thread, see_move, &placing);
	place_until(&placing, UINT64_MAX);
	free(placing.numbers);
}

void sample_contexts_place(struct sampler *sampler)
{
	struct sample_contexts *contexts = &sampler->contexts;

	if (!sampler->options.contexts || !contexts->folder)
		return;
	sample_contexts_number(contexts, "");
	sample_contexts_sort(contexts);
	struct context_spools spools = context_spools_read(contexts->folder);

	vector_for_each (&spools, spool)
		vector_for_each (&spool->threads, thread)
			if (thread->tid)
				place_thread(sampler, spool, thread);
	context_spools_deinit(&spools);
	sample_contexts_add(contexts, &sampler->sums);
}

static void place_now(void *sampler)
{
	sample_contexts_place(sampler);
}

void sample_contexts_watch(struct sampler *sampler, const char *folder)
{
	sampler->contexts.folder = folder;
	sampler->contexts.place = place_now;
	sampler->contexts.sampler = sampler;
}
