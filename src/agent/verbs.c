#include "agent/verbs.h"

#include "agent/files.h"
#include "agent/front.h"
#include "agent/knobs.h"
#include "agent/runs.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "collect/collect.h"
#include "protocol/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A request that is served. */
struct service {
	struct agent *agent;
	const Trm__Request *request;
	struct agent_run *run; /* that it names; NULL: none */
	Trm__Answer answer;
	bool later;    /* somebody else answers */
	char *data;    /* of the answer; freed */
	char text[32]; /* likewise, in place */
};

enum { INPUT_MAX = 1 << 20, TIMER_LEAST_NS = 1000000 };

static struct trm_error *serve_nothing(struct service *service)
{
	(void)service;
	return NULL;
}

static struct trm_error *serve_measurements(struct service *service)
{
	for (const struct collector *const *c = collectors; *c; c++)
		knobs_add_row(&service->answer, "name", (*c)->name, "about",
			      (*c)->summary, NULL);
	return NULL;
}

static struct trm_error *serve_combine(struct service *service)
{
	const Trm__Request *request = service->request;
	struct text list = {0};

	for (size_t i = 0; i < request->n_words; i++)
		text_format(&list, "%s%s", i ? "," : "", request->words[i]);
	struct trm_error *error = list.length ? front_combine(list.data) : NULL;

	text_deinit(&list);
	return error;
}

static struct trm_error *serve_knobs(struct service *service)
{
	knobs_list(&service->answer);
	return NULL;
}

static struct trm_error *serve_check(struct service *service)
{
	return front_check(service->request);
}

static struct trm_error *serve_begin(struct service *service)
{
	service->later = true;
	struct trm_error *error = run_begin(service->agent, service->request);

	if (error)
		service->later = false;
	return error;
}

static struct trm_error *serve_signal(struct service *service)
{
	return run_signal(service->run, (int)service->request->size);
}

static struct trm_error *serve_kill(struct service *service)
{
	return run_signal(service->run, SIGKILL);
}

static struct trm_error *serve_detach(struct service *service)
{
	return run_detach(service->run, service->request, &service->later);
}

static struct trm_error *serve_input(struct service *service)
{
	struct agent_run *run = service->run;
	const ProtobufCBinaryData *data = &service->request->data;

	if (run->input_fd < 0)
		return trm_error_create(TRM_ERROR_GONE,
					"the program reads nothing from here: its "
					"standard input is another one, or was ended");
	if (run->input.length + data->len > INPUT_MAX)
		return trm_error_create(TRM_ERROR_LIMIT,
					"the program does not read: it has %zu bytes of "
					"input already; try again later",
					run->input.length);
	if (data->len)
		text_add_bytes(&run->input, (const char *)data->data, data->len);
	else
		run->input_ends = true;
	service->answer.number = run->input.length;
	if (run->input_ends && !run->input.length) {
		close(run->input_fd);
		run->input_fd = -1;
	}
	return NULL;
}

static struct trm_error *serve_say(struct service *service)
{
	struct agent_run *run = service->run;
	const ProtobufCBinaryData *data = &service->request->data;

	if (run->streams[AGENT_CONSOLE] < 0)
		return trm_error_create(TRM_ERROR_GONE,
					"the process has no debugger's console");
	if (!data->len)
		run_end_console(run);
	if (run->saying.length + data->len > INPUT_MAX)
		return trm_error_create(TRM_ERROR_LIMIT,
					"the debugger does not read: try again later");
	text_add_bytes(&run->saying, (const char *)data->data, data->len);
	run_say(run);
	return NULL;
}

static struct trm_error *serve_file(struct service *service)
{
	struct trm_error *error =
		files_serve(service->agent, service->request, &service->answer);

	service->data = (char *)service->answer.data.data;
	return error;
}

static struct trm_error *serve_ask(struct service *service)
{
	struct trm_error *error = run_ask(service->run, service->request);

	service->later = !error;
	return error;
}

/* The whole is one profile, though it is written anew meanwhile: it is opened for the
 * first piece. */
static struct trm_error *open_profile(const struct service *service, const char *path)
{
	int *fd = &service->run->reading_fd;

	if (service->request->address && *fd >= 0)
		return NULL;
	if (*fd >= 0)
		close(*fd);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd >= 0)
		return NULL;
	return errno == ENOENT && path == service->run->profile
		       ? trm_error_create(TRM_ERROR_GONE,
					  service->run->over
						  ? "no profile was written"
						  : "the profile is written at the end: "
						    "ask for that of now")
		       : trm_error_system(errno, "cannot read '%s'", path);
}

static struct trm_error *serve_read(struct service *service)
{
	const Trm__Request *request = service->request;
	bool now = request->n_words && !strcmp(request->words[0], "now");
	const char *path = now ? service->run->now : service->run->profile;
	struct stat status;

	TRM_TRY(open_profile(service, path));
	if (fstat(service->run->reading_fd, &status))
		return trm_error_system(errno, "cannot read '%s'", path);
	uint64_t size = request->size < PROTOCOL_PIECE ? request->size : PROTOCOL_PIECE;

	service->data = memory_allocate(PROTOCOL_PIECE);
	ssize_t count = pread(service->run->reading_fd, service->data, size,
			      (off_t)request->address);

	if (count < 0)
		return trm_error_system(errno, "cannot read '%s'", path);
	service->answer.data.data = (uint8_t *)service->data;
	service->answer.data.len = (size_t)count;
	service->answer.number = (uint64_t)status.st_size;
	snprintf(service->text, sizeof(service->text), "%lld%09ld",
		 (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
	service->answer.text = service->text;
	return NULL;
}

static struct trm_error *serve_forget(struct service *service)
{
	if (service->request->number)
		service->run->own_profile = false;
	run_forget(service->run);
	return NULL;
}

static struct trm_error *serve_timer(struct service *service)
{
	struct agent *agent = service->agent;

	if (service->request->size && service->request->size < TIMER_LEAST_NS)
		return trm_error_create(TRM_ERROR_USAGE,
					"a timer of less than 1ms cannot be kept to");
	if (service->request->size > INT64_MAX)
		return trm_error_create(TRM_ERROR_USAGE, "a timer has no such period");
	agent->timer_ns = service->request->size;
	agent->timer_next = clock_now_ns() + agent->timer_ns;
	return NULL;
}

static struct trm_error *serve_leave(struct service *service)
{
	service->agent->linger_ns = 0;
	return NULL;
}

static const struct {
	struct trm_error *(*serve)(struct service *service);
	bool named; /* it is about a run */
} verbs[PROTOCOL_VERB_COUNT] = {
	[PROTOCOL_NOTHING] = {serve_nothing, false},
	[PROTOCOL_MEASUREMENTS] = {serve_measurements, false},
	[PROTOCOL_COMBINE] = {serve_combine, false},
	[PROTOCOL_KNOBS] = {serve_knobs, false},
	[PROTOCOL_CHECK] = {serve_check, false},
	[PROTOCOL_RUN] = {serve_begin, false},
	[PROTOCOL_ATTACH] = {serve_begin, false},
	[PROTOCOL_SIGNAL] = {serve_signal, true},
	[PROTOCOL_KILL] = {serve_kill, true},
	[PROTOCOL_DETACH] = {serve_detach, true},
	[PROTOCOL_INPUT] = {serve_input, true},
	[PROTOCOL_PAUSE] = {serve_ask, true},
	[PROTOCOL_RESUME] = {serve_ask, true},
	[PROTOCOL_RESET] = {serve_ask, true},
	[PROTOCOL_SAVE] = {serve_ask, true},
	[PROTOCOL_READ] = {serve_read, true},
	[PROTOCOL_FORGET] = {serve_forget, true},
	[PROTOCOL_STOP] = {serve_ask, true},
	[PROTOCOL_GO] = {serve_ask, true},
	[PROTOCOL_READ_MEMORY] = {serve_ask, true},
	[PROTOCOL_WRITE_MEMORY] = {serve_ask, true},
	[PROTOCOL_REGISTERS] = {serve_ask, true},
	[PROTOCOL_SET_REGISTER] = {serve_ask, true},
	[PROTOCOL_THREADS] = {serve_ask, true},
	[PROTOCOL_MODULES] = {serve_ask, true},
	[PROTOCOL_BREAK] = {serve_ask, true},
	[PROTOCOL_UNBREAK] = {serve_ask, true},
	[PROTOCOL_STEP] = {serve_ask, true},
	[PROTOCOL_TIMER] = {serve_timer, false},
	[PROTOCOL_WATCH] = {serve_ask, true},
	[PROTOCOL_LEAVE] = {serve_leave, false},
	[PROTOCOL_STACKS] = {serve_begin, false},
	[PROTOCOL_SAY] = {serve_say, true},
	[PROTOCOL_FILE] = {serve_file, false},
};

static struct trm_error *serve_one(struct service *service)
{
	const Trm__Request *request = service->request;

	if (request->verb >= PROTOCOL_VERB_COUNT || !verbs[request->verb].serve)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"the trammel of this host (" TRAMMEL_VERSION
					") does not know request %u: install the same "
					"trammel at both ends",
					request->verb);
	service->run = agent_find(service->agent, request->process);
	if (verbs[request->verb].named && !service->run)
		return trm_error_create(TRM_ERROR_USAGE, "there is no process %llu",
					(unsigned long long)request->process);
	return verbs[request->verb].serve(service);
}

void verbs_serve(struct agent *agent, const Trm__Request *request)
{
	struct service service = {.agent = agent, .request = request};

	trm__answer__init(&service.answer);
	struct trm_error *error = serve_one(&service);

	if (!service.later)
		agent_answer(agent, request->id, &service.answer, error);
	knobs_free_rows(&service.answer);
	free(service.data);
}
