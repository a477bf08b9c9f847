#include "session/count/progress.h"

#include "base/clock.h"
#include "code/count/edges_weigh.h"
#include "code/plan/plan_rows.h"
#include "session/count/read_banks.h"
#include "session/state/session.h"

/* How soon, and how late, the tracer looks again. */
#define LEAST_NS 100000
#define MOST_NS  2000000

/* All blocks whose count the slot's is a part of. */
static void add_blocks(const struct plan *plan, const struct plan_function *function,
		       int64_t *weights)
{
	const struct plan_block *first = &plan->blocks.items[function->first_block];

	for (uint32_t b = 0; b < function->block_count; b++) {
		if (first[b].slot < plan->slot_count) {
			weights[first[b].slot] += first[b].instructions;
			continue;
		}
		for (uint32_t i = 0; i < first[b].term_count; i++) {
			uint32_t slot = plan_term(plan, &first[b], i)->slot;

			if (slot < plan->slot_count)
				weights[slot] += first[b].instructions;
		}
	}
}

/* What is executed when the slot counts 1. */
static int64_t *make_weights(const struct plan *plan)
{
	int64_t *weights = memory_allocate_zeroed(plan->slot_count, sizeof(*weights));

	vector_for_each (&plan->functions, function)
		(function->edge_count ? edges_weigh : add_blocks)(plan, function,
								  weights);
	return weights;
}

static const int64_t *weights_of(struct progress *progress,
				 const struct module_file *file)
{
	while (progress->weights.count <= file->index)
		vector_push(&progress->weights, NULL);
	int64_t **weights = &progress->weights.items[file->index];

	if (!*weights)
		*weights = make_weights(file->plan);
	return *weights;
}

struct summing {
	struct progress *progress;
	uint64_t sum;
};

static void add_instructions(void *context, const struct module_file *file, uint32_t slot,
			     uint64_t count)
{
	struct summing *summing = context;

	summing->sum += (uint64_t)weights_of(summing->progress, file)[slot] * count;
}

static uint64_t sum_of(struct session *session, const struct process *process)
{
	struct summing summing = {&session->window.progress, 0};

	if (process->space && process->space->family)
		banks_visit(session, process, add_instructions, &summing);
	return summing.sum;
}

static uint64_t sum_of_all(struct session *session)
{
	uint64_t sum = session->window.progress.ended;

	vector_for_each (&session->all_processes, process)
		if (!(*process)->image->ended)
			sum += sum_of(session, *process);
	return sum;
}

void progress_begin(struct session *session)
{
	struct progress *progress = &session->window.progress;

	progress->before = progress->total = sum_of_all(session);
	progress->looked_ns = clock_now_ns();
	progress->next_ns = progress->looked_ns + LEAST_NS;
}

bool progress_look(struct session *session)
{
	struct progress *progress = &session->window.progress;
	uint64_t length = session->options->window.interval_instructions;
	uint64_t now = clock_now_ns(), last = progress->total, wait = MOST_NS;

	progress->total = sum_of_all(session);
	uint64_t done = progress->total - progress->before;
	uint64_t grown = progress->total - last;
	double rate = (double)grown / (double)(now - progress->looked_ns + 1);

	/* Half of the way that is left, as long as that is worth it. */
	if (done < length && grown)
		wait = (uint64_t)((double)(length - done) / rate / 2);
	progress->looked_ns = now;
	progress->next_ns = clock_now_ns() + (wait < LEAST_NS  ? LEAST_NS
					      : wait > MOST_NS ? MOST_NS
							       : wait);
	return done >= length;
}

void progress_begin_clearing(struct session *session, const struct process *process)
{
	if (session->options->window.interval_instructions)
		session->window.progress.ended += sum_of(session, process);
}

void progress_end_clearing(struct session *session, const struct process *process)
{
	if (session->options->window.interval_instructions)
		session->window.progress.ended -= sum_of(session, process);
}
