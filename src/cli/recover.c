/* `trammel recover`: see man/trammel-recover.1.md. */
#include "cli/commands.h"
#include "cli/showing.h"

#include "base/cleanup.h"
#include "context/recover.h"
#include "context/sweep.h"
#include "symbols/naming.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
	struct showing shown;
	char *output;
	int removes, pid;
} arguments;

static const struct poptOption option_table[] = {
	{"output", 'o', POPT_ARG_STRING, &arguments.output, 0,
	 "the folder to write profiles to (.)", "FOLDER"},
	{"remove", 0, POPT_ARG_NONE, &arguments.removes, 0,
	 "remove what was left, when the profiles are written", NULL},
	{"pid", 'p', POPT_ARG_INT, &arguments.pid, 0,
	 "of a process that runs: what it has measured so far", "PID"},
	SHOWING_HELP(arguments.shown),
	POPT_TABLEEND};

static void say_written(const char *path, const struct context_spool *head)
{
	(void)head;
	printf("%s\n", path);
}

static struct trm_error *remove_spools(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (context_is_spool(entry->d_name))
			unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	if (rmdir(path))
		return trm_error_system(errno, "cannot remove '%s'", path);
	return NULL;
}

/* Of a folder, or (NULL) the process that runs. */
static struct trm_error *recover_one(const char *folder)
{
	struct text place = {0};
	struct context_recovery recovery = {"", true, NULL, &symbols_naming, say_written};
	struct trm_error *error;

	if (arguments.output) {
		text_format(&place, "%s/", arguments.output);
		recovery.folder = place.data;
	}
	error = folder ? context_recover_folder(&recovery, folder)
		       : context_recover_running(&recovery, arguments.pid);
	text_deinit(&place);
	return error || !arguments.removes ? error : remove_spools(folder);
}

/* Returns whether something in the folder can be recovered. */
static bool list_folder(const char *path)
{
	struct context_spools spools = context_spools_read(path);
	bool running = false, any = false;

	vector_for_each (&spools, spool) {
		running |= context_is_running(spool->head);
		any |= context_has_any(spool);
	}
	if (any && !running) {
		const struct context_spool *head = spools.items[0].head;
		time_t start = (time_t)(head->realtime_ns / 1000000000u);
		struct tm broken;
		char text[32];

		localtime_r(&start, &broken);
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &broken);
		printf("%s  %s  process %u, %.*s\n", path, text, head->pid,
		       (int)sizeof(head->program), head->program);
	}
	context_spools_deinit(&spools);
	return any && !running;
}

/* Folders of this user where programs leave what they record. Those that hold nothing go.
 */
static struct trm_error *list_all(void)
{
	const char *place = getenv("TMPDIR");
	struct dirent **entries;
	bool any = false;
	int count;

	if (!place || !*place)
		place = "/tmp";
	count = scandir(place, &entries, NULL, alphasort);
	if (count < 0)
		return trm_error_system(errno, "cannot read '%s'", place);
	for (int i = 0; i < count; i++) {
		struct text path = {0};
		struct stat status;

		text_format(&path, "%s/%s", place, entries[i]->d_name);
		if (!strncmp(entries[i]->d_name, "trammel-", 8) &&
		    !lstat(path.data, &status) && S_ISDIR(status.st_mode) &&
		    status.st_uid == geteuid() && !context_sweep_folder(path.data))
			any |= list_folder(path.data);
		text_deinit(&path);
		free(entries[i]);
	}
	free(entries);
	if (!any)
		fprintf(stderr, "trammel: nothing to recover in '%s'\n", place);
	return NULL;
}

static struct trm_error *run_recover(int *ret_status)
{
	struct trm_error *error = NULL;

	(void)ret_status;
	if (arguments.pid && (arguments.removes || arguments.shown.words.count))
		return trm_error_create(
			TRM_ERROR_USAGE,
			"--pid is of a process that runs: it goes with neither "
			"--remove nor folders");
	if (arguments.pid)
		return recover_one(NULL);
	if (!arguments.shown.words.count)
		return list_all();
	vector_for_each (&arguments.shown.words, folder)
		if (!error)
			error = recover_one(*folder);
	return error;
}

const struct command cmd_recover = {
	.name = "recover",
	.summary = "write what killed programs had measured of themselves",
	.usage =
		"Usage: trammel recover [OPTION...] [FOLDER...]\n"
		"Writes what killed programs had measured of themselves, or, with --pid, "
		"what one\nthat runs has so far; without a folder, lists what there "
		"is.\n",
	.options = option_table,
	.given = &arguments.shown,
	.run = run_recover,
};
