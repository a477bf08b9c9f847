#include "context/recover.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "context/channel_file.h"
#include "context/channels.h"
#include "wire/context_channel.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* One that has ended, and that nobody has waited for, is none. */
bool context_is_running(const struct context_spool *head)
{
	char path[64], line[512] = "";
	const char *end;

	if (kill((pid_t)head->pid, 0) && errno == ESRCH)
		return false;
	snprintf(path, sizeof(path), "/proc/%u/stat", head->pid);
	scoped_file FILE *file = fopen(path, "re");

	if (!file || !fgets(line, sizeof(line), file))
		return false;
	end = strrchr(line, ')');
	return !end || !strchr("ZX", end[1] == ' ' ? end[2] : end[1]);
}

static char *program_of(const struct context_spool *head)
{
	scoped_free char *path = strndup(head->program, sizeof(head->program) - 1);

	return strdup(path_name(path));
}

/* FOLDER/PROGRAM-PID, then what is given; nothing of it leads elsewhere. */
static void name_profile(const struct context_recovery *recovery,
			 const struct context_spool *head, const char *rest,
			 struct text *path)
{
	scoped_free char *program = program_of(head);
	size_t start;

	text_add(path, recovery->folder);
	start = path->length;
	text_format(path, "%s-%u%s.trm", *program ? program : "program", head->pid, rest);
	for (char *at = path->data + start; *at; at++)
		if (*at == '/')
			*at = '_';
}

static struct trm_error *recover_channel(const struct context_recovery *recovery,
					 const struct context_process *process,
					 const struct context_channel *channel,
					 bool repeated)
{
	struct text path = {0}, rest = {0};
	struct trm_error *error;

	text_format(&rest, ".%.*s", CONTEXT_CHANNEL_NAME, channel->name);
	if (repeated)
		text_format(&rest, ".%u", channel->head.channel);
	name_profile(recovery, process->head, rest.data, &path);
	error = context_channel_write(path.data, process, channel, recovery->naming);
	if (!error && recovery->written)
		recovery->written(path.data, process->head);
	text_deinit(&path);
	text_deinit(&rest);
	return error;
}

static bool is_repeated(const struct context_channels *channels, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strncmp(channels->items[i]->name, channels->items[index]->name,
			     CONTEXT_CHANNEL_NAME))
			return true;
	return false;
}

struct trm_error *context_recover_process(const struct context_recovery *recovery,
					  const struct context_process *process)
{
	struct context_channels channels = context_channels_of(process);
	struct trm_error *error = NULL;

	for (size_t i = 0; i < channels.count && !error; i++) {
		const struct context_channel *channel = channels.items[i];

		if ((recovery->flushed || !channel->flushed) &&
		    (!recovery->channel ||
		     !strncmp(channel->name, recovery->channel, sizeof(channel->name))) &&
		    context_channel_has(process, channel->head.channel))
			error = recover_channel(recovery, process, channel,
						is_repeated(&channels, i));
	}
	vector_deinit(&channels);
	return error;
}

/* What regions were recorded, of all processes. */
static struct trm_error *recover_regions(const struct context_recovery *recovery,
					 const struct context_spools *spools,
					 const char *folder)
{
	const struct context_spool *head = spools->items[0].head;
	scoped_free char *program = program_of(head);
	const struct context_run run = {
		.measure = "regions",
		.command = program,
		.start = (time_t)(head->realtime_ns / 1000000000u),
		.first = head->pid,
		.exit = "",
		.exit_state = "ended",
	};
	struct text path = {0};
	struct trm_error *error;

	name_profile(recovery, head, "", &path);
	error = context_profile_write(path.data, folder, &run);
	if (!error && recovery->written)
		recovery->written(path.data, head);
	text_deinit(&path);
	return error;
}

static bool has_channels(const struct context_process *process)
{
	struct context_channels channels = context_channels_of(process);
	bool any = channels.count != 0;

	vector_deinit(&channels);
	return any;
}

struct trm_error *context_recover_folder(const struct context_recovery *recovery,
					 const char *folder)
{
	struct context_spools spools = context_spools_read(folder);
	struct trm_error *error = NULL;
	bool any = false;

	if (!spools.count)
		error = trm_error_create(TRM_ERROR_USAGE,
					 "no process left anything in '%s'", folder);
	vector_for_each (&spools, spool) {
		any |= has_channels(spool);
		if (!error && context_is_running(spool->head))
			error = trm_error_create(
				TRM_ERROR_USAGE,
				"process %u of '%s' runs still: it writes its results "
				"itself when it ends",
				spool->head->pid, folder);
	}
	vector_for_each (&spools, spool)
		if (!error)
			error = context_recover_process(recovery, spool);
	if (!error && !any)
		error = recover_regions(recovery, &spools, folder);
	context_spools_deinit(&spools);
	return error;
}

/* The spool that a process has mapped: its path, to be freed; NULL: there is none. */
static char *spool_of(pid_t pid)
{
	scoped_free char *line = NULL;
	size_t size = 0;
	char path[64];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	scoped_file FILE *maps = fopen(path, "re");

	while (maps && (length = getline(&line, &size, maps)) > 0) {
		const char *name = strchr(line, '/');

		line[length - 1] = '\0';
		if (name && context_is_spool(name))
			return strdup(name);
	}
	return NULL;
}

static struct trm_error *recover_spool(const struct context_recovery *recovery,
				       char *path)
{
	struct context_process process;
	struct trm_error *error = context_process_init(&process, path);

	if (error)
		return error;
	bool has = has_channels(&process);

	if (has)
		error = context_recover_process(recovery, &process);
	context_process_deinit(&process);
	if (has || error)
		return error;
	*strrchr(path, '/') = '\0';
	struct context_spools spools = context_spools_read(path);

	if (spools.count)
		error = recover_regions(recovery, &spools, path);
	context_spools_deinit(&spools);
	return error;
}

struct trm_error *context_recover_running(const struct context_recovery *recovery,
					  pid_t pid)
{
	scoped_free char *path = NULL;

	TRM_TRY(context_spool_of(pid, &path));
	return recover_spool(recovery, path);
}

/* Its number where it thinks itself to be; a child of fork that has said nothing yet has
 * its parent's spool. */
static bool is_own_spool(pid_t pid, const char *path)
{
	scoped_free char *line = NULL;
	size_t size = 0;
	char status[64];
	long own = pid;

	snprintf(status, sizeof(status), "/proc/%d/status", (int)pid);
	scoped_file FILE *file = fopen(status, "re");

	while (file && getline(&line, &size, file) > 0)
		if (!strncmp(line, "NSpid:", 6))
			own = strtol(strrchr(line, '\t') + 1, NULL, 10);
	path = strrchr(path, '/') + 1;
	return strtol(path, NULL, 10) == own;
}

struct trm_error *context_spool_of(pid_t pid, char **ret_path)
{
	scoped_free char *path = NULL;

	if (pid <= 0 || (kill(pid, 0) && errno == ESRCH))
		return trm_error_create(TRM_ERROR_USAGE, "there is no process %d",
					(int)pid);
	path = spool_of(pid);
	if (path && is_own_spool(pid, path)) {
		*ret_path = take_pointer(path);
		return NULL;
	}
	return trm_error_create(
		TRM_ERROR_USAGE,
		"process %d does not measure itself, has not begun to, or "
		"is another user's: start it with CALI_CONFIG or under "
		"trammel run -m regions",
		(int)pid);
}
