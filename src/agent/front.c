#include "agent/front.h"

#include "agent/knobs.h"
#include "agent/tracer.h"
#include "base/cleanup.h"
#include "base/vector.h"
#include "cli/commands.h"
#include "cli/measuring.h"
#include "cli/saving.h"
#include "cli/stacks/process.h"
#include "cli/top/launch.h"
#include "debug/console/console.h"
#include "protocol/protocol.h"
#include "session/run/attach.h"
#include "session/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	/* Where the descriptors of the front are put, out of the program's way. */
	OWN_FD = 200,
};

struct front {
	const struct front_start *start;
	struct measuring given;
	char *database; /* that the profile is put into, too; NULL: none */
	struct tracer_control tracer;
	struct console_place console;
	int report_fd;
	bool executed;
};

const char *front_field(const Trm__Request *request, const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; i < request->n_fields; i++)
		if (!strcmp(request->fields[i]->name, name) &&
		    request->fields[i]->value_case == TRM__FIELD__VALUE_TEXT)
			found = request->fields[i]->text;
	return found;
}

static void report_event(const struct front *front, Trm__Event *event,
			 const struct trm_error *error)
{
	Trm__Message message = TRM__MESSAGE__INIT;
	Trm__Fault fault = TRM__FAULT__INIT;

	if (error) {
		fault.code = error->code;
		fault.system_code = error->system_code;
		fault.message = error->message;
		event->fault = &fault;
	}
	event->process = front->start->run;
	message.kind_case = TRM__MESSAGE__KIND_EVENT;
	message.event = event;
	trm_error_destroy(frame_send_whole(front->report_fd, &message));
}

/* The measurement is over. */
_Noreturn static void end_front(struct front *front, struct trm_error *error,
				const struct run_outcome *outcome)
{
	Trm__Event event = TRM__EVENT__INIT;
	char text[16];

	event.kind = PROTOCOL_EVENT_MEASURED;
	event.value = outcome->status;
	snprintf(text, sizeof(text), "%d", outcome->refused);
	event.text = text;
	report_event(front, &event, error);
	fflush(NULL);
	_exit(error ? EXIT_FAILED : EXIT_DONE);
}

static void tell_executed(void *context, pid_t pid, int why)
{
	struct front *front = context;
	Trm__Event event = TRM__EVENT__INIT;

	/* Why it could not be executed is told at the end. */
	if (why)
		return;
	front->executed = true;
	event.kind = PROTOCOL_EVENT_STARTED;
	event.pid = (uint64_t)pid;
	report_event(front, &event, NULL);
}

static void tell_begun(struct session *session, void *context)
{
	struct front *front = context;

	/* That the front has ended is to be seen though the tracer lives on. */
	if (front->start->request->verb == PROTOCOL_RUN) {
		close(front->report_fd);
		front->report_fd = -1;
	}
	tracer_control_begin(&front->tracer, session);
	if (front->console.fd >= 0)
		trm_error_destroy(console_serve(session, &front->console));
}

static struct front *attached_front;

static void tell_attached(pid_t pid)
{
	tell_executed(attached_front, pid, 0);
}

/* The file that standard input comes from, or that output goes to. */
static struct trm_error *open_file(const char *path, int number, int *ret_fd)
{
	*ret_fd = number ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
			 : open(path, O_RDONLY | O_CLOEXEC);
	return *ret_fd < 0 ? trm_error_system(errno, "cannot open '%s'", path) : NULL;
}

/* "null", "file:PATH"; others were opened by the agent. */
static struct trm_error *set_stdio(const struct front *front)
{
	static const char *const names[] = {"stdin", "stdout", "stderr"};
	const Trm__Request *request = front->start->request;

	for (int i = 0; i < 3; i++) {
		const char *how = front_field(request, names[i]);
		scoped_fd int opened = -1;
		int from = front->start->stdio[i];

		if (how && !strncmp(how, "file:", 5))
			TRM_TRY(open_file(how + 5, i, &opened));
		else if (from < 0)
			TRM_TRY(open_file("/dev/null", i, &opened));
		if (dup2(opened >= 0 ? opened : from, i) < 0)
			return trm_error_system(errno, "cannot redirect %s", names[i]);
	}
	return NULL;
}

static struct trm_error *set_environment(const Trm__Request *request)
{
	static const char prefix[] = "environment.";

	for (size_t i = 0; i < request->n_fields; i++) {
		const Trm__Field *field = request->fields[i];

		if (strncmp(field->name, prefix, strlen(prefix)) != 0)
			continue;
		if (field->value_case == TRM__FIELD__VALUE_TEXT)
			setenv(field->name + strlen(prefix), field->text, 1);
		else
			unsetenv(field->name + strlen(prefix));
	}
	return NULL;
}

/* What was put above the program's descriptors. */
static void keep_descriptors(struct front *front)
{
	int report = fcntl(front->start->report_fd, F_DUPFD_CLOEXEC, OWN_FD);
	int control = fcntl(front->start->control_fd, F_DUPFD_CLOEXEC, OWN_FD);

	/* It stays open in the tracer, too, whatever becomes of the agent. */
	fcntl(front->start->folder_fd, F_DUPFD_CLOEXEC, OWN_FD);
	front->report_fd = report;
	front->tracer.fd = control;
	front->console = (struct console_place){
		.fd = front->start->console_fd < 0
			      ? -1
			      : fcntl(front->start->console_fd, F_DUPFD_CLOEXEC, OWN_FD),
		.listener = -1,
		.message_fd = -1,
		.on_crash = front_field(front->start->request, "on-crash") != NULL};
}

/* The agent's other descriptors. */
static void drop_descriptors(void)
{
	close_range(3, OWN_FD - 1, 0);
	close_range(OWN_FD + 4, ~0u, 0);
}

static void set_signals(void)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* What is to be told from the program's beginning on. */
static struct trm_error *prepare_events(struct front *front)
{
	static char told[64];
	const Trm__Request *request = front->start->request;
	struct session_options *options = &front->given.options;
	struct debugging *debugging = &front->tracer.debugging;

	debugging->watches = front_field(request, "watch");
	debugging->stops = front_field(request, "stop");
	debugging->regions = front_field(request, "regions");
	if (!debugging->watches && !debugging->stops && !debugging->regions)
		return NULL;
	if (!options->collector->slot_size)
		return trm_error_create(
			TRM_ERROR_UNSUPPORTED,
			"this measurement is made without a tracer, and tells nothing "
			"until it ends: choose one that counts");
	if (!debugging->regions)
		return NULL;
	if (!options->context.what)
		return trm_error_create(TRM_ERROR_USAGE,
					"regions are told where they are measured: add "
					"\"regions\" to what is measured");
	snprintf(told, sizeof(told), "%s,told", options->context.what);
	options->context.what = told;
	return NULL;
}

static struct trm_error *prepare_front(struct front *front)
{
	const Trm__Request *request = front->start->request;
	const char *directory = front_field(request, "directory");
	struct session_options *options = &front->given.options;

	if (directory && chdir(directory))
		return trm_error_system(errno, "cannot work in '%s'", directory);
	TRM_TRY(set_stdio(front));
	TRM_TRY(set_environment(request));
	drop_descriptors();
	TRM_TRY(knobs_read(request, &front->given, &front->database));
	if (front->database)
		TRM_TRY(saving_check(front->database));
	front->given.quiet = true;
	free(front->given.output);
	front->given.output = NULL;
	if (front_field(request, "paused")) {
		/* Until it is told to begin; the profile says that it was. */
		options->window.start.wait_ns = INT64_MAX;
		text_add(&front->given.window, "--paused");
	}
	TRM_TRY(measuring_check(&front->given,
				request->n_words ? request->words[0] : "process"));
	options->output = front->start->profile;
	return prepare_events(front);
}

static const char **copy_words(const Trm__Request *request)
{
	const char **words = memory_allocate_zeroed(request->n_words + 1, sizeof(*words));

	for (size_t i = 0; i < request->n_words; i++)
		words[i] = request->words[i];
	return words;
}

static struct trm_error *run_program(struct front *front, struct run_outcome *outcome)
{
	front->given.options.arguments = copy_words(front->start->request);
	return session_run(&front->given.options, outcome);
}

/* Profiles that somebody looks at while it is measured. */
static struct trm_error *save_often(const struct front *front,
				    struct attach_request *request)
{
	const char *every = front_field(front->start->request, "save-every");

	if (!every)
		return NULL;
	request->save_ns = strtoull(every, NULL, 10);
	/* Who looks asks for the file. */
	request->saved_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return request->saved_fd < 0 ? trm_error_system(errno, "cannot open '/dev/null'")
				     : NULL;
}

/* A program that is started for the measurement, and waits for it. */
static struct trm_error *attach_program(struct front *front,
					struct attach_request *request)
{
	struct launch launch;
	scoped_free const char **words = copy_words(front->start->request);
	int why;

	TRM_TRY(launch_start(&launch, words));
	close(launch.go[0]);
	close(launch.failed[1]);
	request->pid = launch.program;
	request->waits = true;
	request->go_fd = launch.go[1];
	if (!launch_introduce(&launch, getpid()))
		return trm_error_create(TRM_ERROR_GONE, "the program was killed");
	tell_executed(front, launch.program, 0);
	struct trm_error *error = session_attach(&front->given.options, request);

	if (!launch_failed(&launch, &why))
		return error;
	trm_error_destroy(error);
	return trm_error_system(why, "cannot run '%s'", words[0]);
}

static struct trm_error *attach_process(struct front *front)
{
	struct attach_request request = {.pid = (pid_t)front->start->request->size,
					 .begun = tell_attached};

	/* What a terminal sends ends no measurement. */
	setpgid(0, 0);
	attached_front = front;
	TRM_TRY(save_often(front, &request));
	return front->start->request->n_words
		       ? attach_program(front, &request)
		       : session_attach(&front->given.options, &request);
}

/* What threads do now; nothing is measured. */
static struct trm_error *show_stacks(struct front *front)
{
	const Trm__Request *request = front->start->request;
	struct text text = {0};

	TRM_TRY(set_stdio(front));
	drop_descriptors();
	struct trm_error *error =
		stacks_of_process((uint32_t)request->size, request->n_words, &text);

	if (!error) {
		tell_executed(front, (pid_t)request->size, 0);
		fwrite(text.data, 1, text.length, stdout);
	}
	text_deinit(&text);
	return error;
}

_Noreturn void front_become(const struct front_start *start)
{
	static struct front front;
	struct run_outcome outcome = {0};

	front.start = start;
	front.tracer.now = start->now;
	keep_descriptors(&front);
	set_signals();
	struct trm_error *error = NULL;

	if (start->request->verb == PROTOCOL_STACKS)
		end_front(&front, show_stacks(&front), &outcome);
	/* What the client's terminal sends comes by the client: not twice, where its way
	 * here leaves this process in its group. There is no terminal over ssh, either.
	 */
	if (front_field(start->request, "far"))
		setsid();
	error = prepare_front(&front);

	front.given.options.server = (struct session_server){
		.begin = tell_begun, .executed = tell_executed, .context = &front};
	if (error)
		outcome.refused = EXIT_FAILED;
	else if (start->request->verb == PROTOCOL_RUN)
		error = run_program(&front, &outcome);
	else
		error = attach_process(&front);
	if (!error && front.database)
		error = saving_add(front.database, start->profile);
	end_front(&front, error, &outcome);
}

struct trm_error *front_combine(const char *list)
{
	struct measuring given = {.measure = memory_copy_string(list)};
	struct trm_error *error = measuring_check(&given, "program");

	measuring_deinit(&given);
	return error;
}

struct trm_error *front_check(const Trm__Request *request)
{
	struct measuring given = {0};
	char *database = NULL;
	struct trm_error *error = knobs_read(request, &given, &database);

	measuring_deinit(&given);
	free(database);
	return error;
}
