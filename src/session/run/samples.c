#include "session/run/samples.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "context/profile.h"
#include "record/model.h"
#include "record/output.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "sample/sampler.h"
#include "sample/save.h"
#include "session/profile/contexts_save.h"
#include "session/profile/profile_writer.h"
#include "session/profile/sample_contexts.h"
#include "session/run/looks.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TAKE_MS = 100 };

struct sampler_options samples_options(const struct session_options *options)
{
	return (struct sampler_options){
		.events = options->samples.events,
		.rate = options->samples.rate,
		.threads = options->threads || options->samples.look_ns,
		.no_follow = options->no_follow,
		.contexts = options->context.what != NULL,
		.after_ns = options->window.start.wait_ns,
		.for_ns = options->window.stop.wait_ns,
	};
}

bool samples_are_forbidden(const struct trm_error *error)
{
	return error && error->code == TRM_ERROR_UNSUPPORTED;
}

void samples_trace(const struct collector *collector, struct collector *ret_traced)
{
	*ret_traced = *collector;
	ret_traced->probe = PLAN_PROBE_COUNT;
	ret_traced->depth = PLAN_POINTS;
	ret_traced->slot_size = 8;
}

/* The numbers of the images that are wanted, by index. */
static uint32_t *number_images(const struct session_options *options,
			       const struct sampler *sampler)
{
	const size_t count = sampler->processes.images.count;
	uint32_t *numbers = memory_allocate_zeroed(count + 1, sizeof(*numbers));
	uint32_t next = 1;

	for (size_t i = 0; i < count; i++) {
		const struct sample_image *image = &sampler->processes.images.items[i];
		const char *program = image->program ? image->program : "";

		if (options->no_follow && image->pid != sampler->first)
			continue;
		if (options_want_program(options, program, program))
			numbers[i] = next++;
	}
	return numbers;
}

static bool any_running(const struct sampler *sampler)
{
	vector_for_each (&sampler->processes.images, image)
		if (!image->ended && !image->executed && !kill((pid_t)image->pid, 0))
			return true;
	return false;
}

static struct trm_error *save_globals(const struct session_options *options,
				      struct profile_writer *writer,
				      const struct context_run *run)
{
	const char *window = options->window.words;
	const uint64_t start = options->window.start.wait_ns;
	const uint64_t stop = start + options->window.stop.wait_ns;

	if (!window || !*window)
		return NULL;
	TRM_TRY(profile_writer_global(writer, "run.window", record_string(window)));
	TRM_TRY(profile_writer_global(writer, "window.start.ns", record_uint(start)));
	return profile_writer_global(
		writer, "window.end.ns",
		record_uint(stop > start && stop < run->wall_ns ? stop : run->wall_ns));
}

/* The number of the image that a spool is of: the last of its process that began before;
 * 0: none that is wanted. */
static uint32_t number_of(const struct sampler *sampler, const uint32_t *numbers,
			  const struct context_spool *spool)
{
	uint32_t number = 0;

	for (size_t i = 0; i < sampler->processes.images.count; i++) {
		const struct sample_image *image = &sampler->processes.images.items[i];

		if (image->pid == spool->pid && image->begin_ns <= spool->begin.ns)
			number = numbers[i];
	}
	return number;
}

/* What the processes said of themselves. */
static struct trm_error *save_contexts(const struct session_options *options,
				       const struct sampler *sampler,
				       const uint32_t *numbers,
				       struct context_saving *context)
{
	struct profile_writer writer = {.model = context->model,
					.writer = context->writer};
	struct text faults = {0};

	if (!options->context.folder)
		return NULL;
	struct context_spools spools = context_spools_read(options->context.folder);

	if (spools.count)
		context->first_ns = spools.items[0].head->begin.ns;
	vector_for_each (&spools, spool) {
		const uint32_t number = number_of(sampler, numbers, spool->head);

		if (number)
			(options->collector->trace ? context_save : context_save_paths)(
				context, spool, number);
		context_describe_faults(spool, &faults);
	}
	context_describe_static(&spools, options->context.is_static, &faults);
	contexts_recover(options->output, &spools);
	context_spools_deinit(&spools);
	struct trm_error *error =
		faults.length ? profile_writer_global(&writer, "context.faults",
						      record_string(faults.data))
			      : NULL;

	text_deinit(&faults);
	return error;
}

static struct trm_error *save_parts(const struct session_options *options,
				    struct sampler *sampler,
				    const struct context_run *run,
				    struct record_model *model, struct trm_writer *writer)
{
	struct context_saving context;
	struct profile_writer globals = {.model = model, .writer = writer};
	scoped_free uint32_t *numbers = number_images(options, sampler);
	const struct sample_saving saving = {
		.model = model, .writer = writer, .numbers = numbers};

	TRM_TRY(context_saving_init(&context, writer, model));
	TRM_TRY(context_run_save(&context, run, "", any_running(sampler)));
	TRM_TRY(save_globals(options, &globals, run));
	TRM_TRY(sample_save_processes(&saving, sampler, run->exit_state));
	TRM_TRY(save_contexts(options, sampler, numbers, &context));
	sample_contexts_place(sampler);
	return sample_save(&saving, sampler);
}

struct trm_error *samples_save_run(const struct session_options *options,
				   struct sampler *sampler, const struct context_run *run)
{
	struct record_model *model = record_model_create();
	struct trm_output output;
	struct trm_error *error = trm_output_open(options->output, &output);

	if (!error) {
		struct trm_writer *writer = trm_writer_create(output.fd, model);
		struct trm_error *written;

		error = save_parts(options, sampler, run, model, writer);
		written = trm_writer_finish(writer);
		if (error)
			trm_error_destroy(written);
		else
			error = written;
		error = trm_output_close(&output, error);
	}
	record_model_destroy(model);
	return error;
}

struct trm_error *samples_write(const struct session_options *options,
				struct sampler *sampler, struct context_run *run,
				int status)
{
	scoped_free char *command = profile_writer_command(options->arguments);
	struct profile_end end;

	profile_writer_describe_end(status, &end);
	run->measure = options->collector->name;
	run->command = command;
	run->exit = end.exit;
	run->exit_state = end.state;
	return samples_save_run(options, sampler, run);
}

/* The thread that takes samples in while the front waits. */
struct taker {
	struct sampler *sampler;
	struct stacks *stacks; /* NULL: threads are not looked at */
	uint64_t look_ns;
	pthread_t thread;
	int stop_fd; /* can be read when it is to end */
};

static void *take_samples(void *context)
{
	struct taker *taker = context;
	struct pollfd stop = {.fd = taker->stop_fd, .events = POLLIN};

	while (poll(&stop, 1, 0) <= 0)
		looks_take(taker->stacks, taker->sampler, taker->look_ns, taker->stop_fd,
			   TAKE_MS);
	return NULL;
}

static struct trm_error *begin_taking(struct taker *taker)
{
	int why;

	taker->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (taker->stop_fd < 0)
		return trm_error_system(errno, "cannot make an eventfd");
	why = pthread_create(&taker->thread, NULL, take_samples, taker);
	if (why)
		close(taker->stop_fd);
	return why ? trm_error_system(why, "cannot make a thread") : NULL;
}

static void end_taking(struct taker *taker)
{
	uint64_t one = 1;

	if (write(taker->stop_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(taker->thread, NULL);
	close(taker->stop_fd);
}

/* In the child: waits until the events are open. */
_Noreturn static void become_sampled(const int go[2], const int failed[2],
				     const struct session_options *options,
				     const char *elf)
{
	char byte;

	close(go[1]);
	close(failed[0]);
	if (read(go[0], &byte, 1) != 1)
		_exit(126);
	front_execute(elf, options, failed[1]);
	_exit(126);
}

/* Opens the events, lets the program go, and waits for its end. */
static struct trm_error *follow_program(const struct session_options *options,
					struct taker *taker, pid_t program, int go_fd,
					int failed_fd, struct run_outcome *outcome)
{
	sigset_t signals;
	int why = 0;
	struct trm_error *error =
		looks_open(options, taker->sampler, program, false, &taker->stacks);

	/* If no events are to be had another program is started, with the same mask. */
	if (!error) {
		front_block_signals(&signals);
		error = begin_taking(taker);
	}
	if (!error && write(go_fd, "g", 1) != 1)
		error = trm_error_system(errno, "cannot start the program");
	close(go_fd);
	if (error) {
		waitpid(program, NULL, 0);
		outcome->refused = 126;
		return error;
	}
	if (read(failed_fd, &why, sizeof(why)) < (ssize_t)sizeof(why))
		why = 0;
	front_tell(options, program, why);
	/* Where no event tells of it. */
	if (taker->stacks && !taker->stacks->samples_run)
		__atomic_store_n(&taker->sampler->begin_ns, clock_now_ns(),
				 __ATOMIC_RELEASE);
	outcome->status = front_wait(program, &signals, NULL);
	end_taking(taker);
	return why ? front_exec_error(options, why, outcome) : NULL;
}

static struct trm_error *run_sampled(const struct session_options *options,
				     const char *elf, struct sampler *sampler,
				     struct run_outcome *outcome)
{
	struct context_run run = {.start = time(NULL)};
	struct taker taker = {.sampler = sampler, .look_ns = options->samples.look_ns};
	const uint64_t begin = clock_now_ns();
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC))
		return trm_error_system(errno, "cannot make a pipe");
	if (pipe2(failed, O_CLOEXEC)) {
		int why = errno;

		close(go[0]);
		close(go[1]);
		return trm_error_system(why, "cannot make a pipe");
	}
	pid_t program = fork();

	if (!program)
		become_sampled(go, failed, options, elf);
	close(go[0]);
	close(failed[1]);
	struct trm_error *error =
		program < 0 ? trm_error_system(errno, "cannot start a process")
			    : follow_program(options, &taker, program, go[1], failed[0],
					     outcome);

	if (program < 0)
		close(go[1]);
	close(failed[0]);
	if (error) {
		stacks_destroy(taker.stacks);
		return error;
	}
	looks_finish(taker.stacks, sampler);
	run.first = (uint32_t)program;
	run.wall_ns = clock_now_ns() - begin;
	error = samples_write(options, sampler, &run, outcome->status);
	outcome->profile = !error;
	return error;
}

struct trm_error *samples_run(const struct session_options *options, const char *elf,
			      struct run_outcome *outcome)
{
	const struct sampler_options asked = samples_options(options);
	struct sampler *sampler;

	TRM_TRY(sampler_create(&asked, &sampler));
	sample_contexts_watch(sampler, options->context.folder);
	struct trm_error *error = run_sampled(options, elf, sampler, outcome);

	sampler_destroy(sampler);
	return error;
}

static bool is_ended(int pid_fd)
{
	struct pollfd end = {.fd = pid_fd, .events = POLLIN};

	return pid_fd >= 0 && poll(&end, 1, 0) > 0;
}

static struct trm_error *save_attached(const struct session_options *options,
				       struct sampler *sampler, struct context_run *run,
				       uint64_t begin)
{
	run->wall_ns = clock_now_ns() - begin;
	sample_source_count(&sampler->source);
	return samples_save_run(options, sampler, run);
}

/* Writes the profile for a reader that looks on, and tells it when. False: it is gone, or
 * there is no profile. */
static bool show_profile(const struct session_options *options,
			 const struct attach_request *request, struct sampler *sampler,
			 struct context_run *run, uint64_t begin,
			 struct trm_error **ret_error)
{
	const uint64_t now = clock_now_ns();

	*ret_error = save_attached(options, sampler, run, begin);
	return !*ret_error && write(request->saved_fd, &now, sizeof(now)) == sizeof(now);
}

/* Until the time is over, a signal comes, or the process ends. */
static struct trm_error *follow_attached(const struct session_options *options,
					 const struct attach_request *request,
					 struct sampler *sampler, struct stacks *stacks,
					 struct context_run *run)
{
	const struct timespec none = {0, 0};
	const struct session_window *window = &options->window;
	const uint64_t length = window->stop.wait_ns
					? window->start.wait_ns + window->stop.wait_ns
					: UINT64_MAX;
	const uint64_t begin = sampler->begin_ns;
	uint64_t shown = begin;
	scoped_fd int pid_fd = (int)syscall(SYS_pidfd_open, request->pid, 0);
	struct trm_error *error = NULL;
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	while (clock_now_ns() - begin < length && !is_ended(pid_fd) &&
	       sigtimedwait(&signals, NULL, &none) <= 0) {
		looks_take(stacks, sampler, options->samples.look_ns, pid_fd, TAKE_MS);
		if (!request->save_ns || clock_now_ns() - shown < request->save_ns)
			continue;
		shown += request->save_ns;
		if (!show_profile(options, request, sampler, run, begin, &error))
			break;
	}
	looks_finish(stacks, sampler);
	/* How a process ended that is not ours nobody tells. */
	if (is_ended(pid_fd))
		run->exit = "";
	return error ? error : save_attached(options, sampler, run, begin);
}

/* Of a process that waits, samples begin with the program that it executes. */
static struct trm_error *open_attached(const struct session_options *options,
				       struct sampler *sampler,
				       const struct attach_request *request,
				       struct stacks **ret_stacks)
{
	TRM_TRY(looks_open(options, sampler, request->pid, !request->waits, ret_stacks));
	if (!request->waits)
		return NULL;
	sampler->begin_ns = clock_now_ns();
	return write(request->go_fd, "g", 1) == 1
		       ? NULL
		       : trm_error_system(errno, "cannot start the program");
}

static struct trm_error *name_process(struct trm_error *error, pid_t pid)
{
	return error ? trm_error_prefix(error, "cannot measure process %d", (int)pid)
		     : NULL;
}

struct trm_error *samples_attach(const struct session_options *options,
				 const struct attach_request *request,
				 const char *const *command)
{
	const struct sampler_options asked = samples_options(options);
	scoped_free char *words = profile_writer_command(command);
	struct context_run run = {.start = time(NULL),
				  .measure = options->collector->name,
				  .command = words ? words : "",
				  .first = (uint32_t)request->pid,
				  .exit = "running"};
	struct sampler *sampler;
	struct stacks *stacks = NULL;

	TRM_TRY(sampler_create(&asked, &sampler));
	struct trm_error *error = name_process(
		open_attached(options, sampler, request, &stacks), request->pid);

	if (!error) {
		if (request->begun)
			request->begun(request->pid);
		error = follow_attached(options, request, sampler, stacks, &run);
	}
	sampler_destroy(sampler);
	return error;
}
