#include "session/run/contexts.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/library.h"
#include "base/text.h"
#include "context/profile.h"
#include "session/profile/contexts_save.h"
#include "session/profile/profile_writer.h"
#include "session/run/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WRAPPERS "libtrammel-mpi.so.0"

static struct trm_error *find_libraries(struct session_context *context)
{
	context->library = library_find("runtime", LIBRARY_RUNTIME);
	if (!context->library)
		return trm_error_create(TRM_ERROR_SYSTEM,
					"cannot find '" LIBRARY_RUNTIME
					"', which programs load for -m regions: "
					"install trammel as a whole");
	if (context->mpi)
		context->wrappers = library_find("mpi", WRAPPERS);
	if (context->mpi && !context->wrappers)
		return trm_error_create(
			TRM_ERROR_UNSUPPORTED,
			"cannot find '" WRAPPERS
			"', which programs load for -m mpi: build trammel where the "
			"development files of Open MPI or MPICH are installed");
	return NULL;
}

struct trm_error *contexts_prepare(struct session_context *context)
{
	const char *place = getenv("TMPDIR");
	struct text folder = {0};

	if (!context->what)
		return NULL;
	TRM_TRY(find_libraries(context));
	text_format(&folder, "%s/trammel-XXXXXX", place && *place ? place : "/tmp");
	if (!mkdtemp(folder.data)) {
		int why = errno;
		struct trm_error *error = trm_error_system(
			why,
			"cannot make a folder '%s': set TMPDIR to a place where "
			"that can be done",
			folder.data);

		text_deinit(&folder);
		return error;
	}
	context->folder = folder.data;
	context->folder_fd = open(folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	flock(context->folder_fd, LOCK_SH); /* see context/sweep.h */
	return NULL;
}

void contexts_remove(const struct session_context *context)
{
	DIR *folder = context->folder ? opendir(context->folder) : NULL;
	struct dirent *entry;

	if (!folder)
		return;
	while ((entry = readdir(folder)))
		unlinkat(dirfd(folder), entry->d_name, 0);
	closedir(folder);
	rmdir(context->folder);
}

void contexts_deinit(struct session_context *context)
{
	if (context->folder)
		close(context->folder_fd);
	free(context->folder);
	free(context->library);
	free(context->wrappers);
	free(context->classes);
	context->folder = context->library = context->wrappers = NULL;
	context->classes = NULL;
}

void contexts_environment(const struct session_context *context)
{
	const char *others = getenv("LD_PRELOAD");
	struct text preload = {0};

	if (!context->folder)
		return;
	text_add(&preload, context->library);
	if (context->wrappers)
		text_format(&preload, ":%s", context->wrappers);
	if (others && *others)
		text_format(&preload, ":%s", others);
	setenv("LD_PRELOAD", preload.data, 1);
	/* For what is annotated for ITT or NVTX; a tool that is named stays. */
	setenv("INTEL_LIBITTNOTIFY64", context->library, 0);
	setenv("NVTX_INJECTION64_PATH", context->library, 0);
	setenv("TRAMMEL_CONTEXT", context->what, 1);
	setenv("TRAMMEL_CONTEXT_FOLDER", context->folder, 1);
	if (context->classes)
		setenv("TRAMMEL_CONTEXT_CLASSES", context->classes, 1);
	text_deinit(&preload);
}

static struct trm_error *save_contexts(const struct session_options *options,
				       struct context_run *run, int status)
{
	char *command = profile_writer_command(options->arguments);
	struct profile_end end;
	struct trm_error *error;

	profile_writer_describe_end(status, &end);
	run->measure = options->collector->name;
	run->command = command;
	run->exit = end.exit;
	run->exit_state = end.state;
	error = context_profile_write(options->output, options->context.folder, run);
	free(command);
	return error;
}

struct trm_error *contexts_run(const struct session_options *options, const char *elf,
			       struct run_outcome *outcome)
{
	struct context_run run = {.start = time(NULL)};
	struct trm_error *error;
	uint64_t begin = clock_now_ns();
	sigset_t signals;
	int failed[2], why = 0;

	if (pipe2(failed, O_CLOEXEC))
		return trm_error_system(errno, "cannot make a pipe");
	pid_t program = fork();

	if (program < 0)
		return trm_error_system(errno, "cannot start a process");
	if (!program)
		front_execute(elf, options, failed[1]);
	front_block_signals(&signals);
	close(failed[1]);
	if (read(failed[0], &why, sizeof(why)) < (ssize_t)sizeof(why))
		why = 0;
	close(failed[0]);
	front_tell(options, program, why);
	outcome->status = front_wait(program, &signals, NULL);
	if (why)
		return front_exec_error(options, why, outcome);
	run.first = (uint32_t)program;
	run.wall_ns = clock_now_ns() - begin;
	run.is_static = options->context.is_static;
	error = save_contexts(options, &run, outcome->status);
	outcome->profile = !error;
	struct context_spools spools = context_spools_read(options->context.folder);

	contexts_recover(options->output, &spools);
	context_spools_deinit(&spools);
	return error;
}
