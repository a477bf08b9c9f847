#include "session/run/looks.h"

#include "base/clock.h"

#define MS 1000000u

struct trm_error *looks_open(const struct session_options *options,
			     struct sampler *sampler, pid_t pid, bool at_once,
			     struct stacks **ret_stacks)
{
	struct stacks *stacks = NULL;
	struct trm_error *error =
		at_once ? sampler_attach(sampler, pid) : sampler_open(sampler, pid);
	const bool sampled = !error;

	if (!options->samples.look_ns)
		return error;
	if (error && error->code != TRM_ERROR_UNSUPPORTED)
		return error;
	if (error) {
		text_format(&sampler->source.notes,
			    "threads that run have no stacks: %s\n", error->message);
		trm_error_destroy(error);
		sample_processes_find(&sampler->processes, (uint32_t)pid);
	}
	stacks = stacks_create(sampler);
	stacks_begin_sums(stacks, options->samples.look_ns, sampled);
	if (!sampled && at_once) {
		sampler->begin_ns = clock_now_ns();
		sample_processes_read(&sampler->processes, (uint32_t)pid);
	}
	*ret_stacks = stacks;
	return NULL;
}

void looks_take(struct stacks *stacks, struct sampler *sampler, uint64_t look_ns, int fd,
		int wait_ms)
{
	const uint64_t next = stacks ? stacks->last_ns + look_ns : 0;
	uint64_t now = clock_now_ns();

	if (stacks && next < now + (uint64_t)wait_ms * MS)
		wait_ms = next <= now ? 0 : (int)((next - now) / MS) + 1;
	sample_source_wait(&sampler->source, fd, wait_ms);
	sampler_take(sampler, false);
	now = clock_now_ns();
	if (!stacks || now < next)
		return;
	stacks_take(stacks);
	sampler->own_ns += clock_now_ns() - now;
}

void looks_finish(struct stacks *stacks, struct sampler *sampler)
{
	sampler_finish(sampler);
	/* What the kernel counted is of threads that ran alone. */
	vector_for_each (&sampler->sums.sums, sum)
		if (stacks && (sum->event || !stacks->samples_run))
			sampler->source.tallies[sum->event].total += sum->events;
	if (stacks && stacks->looks < 1)
		text_format(&sampler->source.notes,
			    "the program ended before the first look at its threads: "
			    "give a shorter --interval\n");
	stacks_destroy(stacks);
}
