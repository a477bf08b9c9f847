#include "session/count/sampled.h"

#include "base/clock.h"
#include "code/locate/address_map.h"
#include "code/plan/plan_rows.h"
#include "sample/sampler.h"
#include "session/count/peeks.h"
#include "session/state/tables.h"

/* Nanoseconds between looks. A process that ends, and modules that come and go, have
 * looks of their own. */
#define LOOK_NS 20000000

/* And between notes that there are new samples. */
#define NOTE_NS 1000000000u

static const struct space *space_of(const struct session *session, uint32_t pid)
{
	const struct process *process = session_find_process(session, (pid_t)pid);

	return process ? process->space : NULL;
}

/* From relocated code to where the thread would be in the original. */
static void lead_back(void *context, uint32_t pid, uint64_t *pc, uint64_t *rsp)
{
	const struct session *session = context;
	const struct space *space = space_of(session, pid);
	const struct module *module = space ? space_module_of_code(space, *pc) : NULL;
	struct plan_position place;

	if (!module)
		return;
	place = module_locate(module, *pc);
	if (place.kind == PLAN_POSITION_UNKNOWN)
		return;
	*pc = module->bias +
	      (place.word ? module->file->plan->functions.items[place.function].address
			  : place.original);
	*rsp += place.stack;
}

static uint64_t lead_caller_back(void *context, uint32_t pid, uint64_t address)
{
	const struct session *session = context;
	const struct space *space = space_of(session, pid);
	const struct module *module = space ? space_module_of_code(space, address) : NULL;
	uint64_t original;

	if (!module ||
	    !plan_return_of(module->file->plan,
			    (uint32_t)(address - module->code_address), &original))
		return address;
	return original + module->bias;
}

/* Patched text may be mapped from another file than its own. */
static const char *find_module(void *context, uint32_t pid, uint64_t address,
			       uint64_t *ret_delta)
{
	const struct session *session = context;
	const struct space *space = space_of(session, pid);
	const struct module *module = space ? space_module_of_text(space, address) : NULL;

	if (!module)
		return NULL;
	*ret_delta = 0 - module->bias;
	return module->file->path;
}

struct trm_error *sampled_begin(struct session *session, pid_t pid, bool at_once)
{
	const struct session_options *options = session->options;
	const struct sampler_options asked = {
		.events = options->samples.events,
		.rate = options->samples.rate,
		.threads = options->threads,
		.no_follow = options->no_follow,
		.contexts = options->context.what != NULL,
	};

	if (!options->collector->samples)
		return NULL;
	TRM_TRY(sampler_create(&asked, &session->sampler));
	session->sampler->original = (struct sampler_original){
		.context = session,
		.lead_back = lead_back,
		.lead_caller_back = lead_caller_back,
	};
	session->sampler->processes.owner = (struct sample_owner){
		.context = session,
		.find_module = find_module,
	};
	struct trm_error *error = at_once ? sampler_attach(session->sampler, pid)
					  : sampler_open(session->sampler, pid);

	if (!error)
		return NULL;
	if (error->code == TRM_ERROR_UNSUPPORTED) {
		sample_source_look(&session->sampler->source, error->message);
		trm_error_destroy(error);
		return NULL;
	}
	sampler_destroy(session->sampler);
	session->sampler = NULL;
	return error;
}

void sampled_take(struct session *session)
{
	if (!session->sampler || session->sampler->finished)
		return;
	session->sampler->paused = session->window.state != WINDOW_OPEN;
	if (session->sampler->source.looked)
		peeks_count(session);
	sampler_take(session->sampler, true);
	session->sampled_ns = clock_now_ns();
}

/* Samples are in the tracer alone: what of them a guardian has is as old as itself. */
static void note_samples(struct session *session, uint64_t now)
{
	if (now < session->samples_noted_ns + NOTE_NS)
		return;
	session->samples_noted_ns = now;
	session_note_change(session);
}

uint64_t sampled_act(struct session *session)
{
	const uint64_t now = clock_now_ns();

	if (!session->sampler || session->sampler->finished)
		return UINT64_MAX;
	note_samples(session, now);
	if (session->sampler->source.looked) {
		session->sampler->paused = session->window.state != WINDOW_OPEN;
		return peeks_act(session);
	}
	if (now < session->sampled_ns + LOOK_NS)
		return session->sampled_ns + LOOK_NS - now;
	session->sampler->paused = session->window.state != WINDOW_OPEN;
	sampler_take(session->sampler, false);
	session->sampled_ns = now;
	return LOOK_NS;
}

void sampled_end(struct session *session)
{
	if (!session->sampler || session->sampler->finished)
		return;
	sampled_take(session);
	sampler_finish(session->sampler);
}
