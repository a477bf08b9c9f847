#include "cli/far/far.h"

#include "cli/commands.h"
#include "cli/far/way.h"

#ifdef TRAMMEL_CONTROL

#include "base/cleanup.h"
#include "base/path.h"
#include "cli/far/job.h"
#include "cli/far/modules.h"
#include "cli/saving.h"
#include "report/text/report.h"
#include "trammel/control.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The path of the profile, as of a local run. */
static char *choose_output(const struct far_job *job)
{
	const char *given = option_settings_find(job->settings, "output");
	const char *program = job->pid ? "process" : job->settings->words.items[0];
	struct text path = {0};
	struct stat status;

	if (given && (stat(given, &status) || !S_ISDIR(status.st_mode)))
		return memory_copy_string(given);
	text_format(&path, "%s%s%s.trm", given ? given : "", given ? "/" : "",
		    path_name(program));
	return path.data;
}

/* What cannot be written here stays there. */
static struct trm_error *keep_there(const struct far_host *host, struct trm_error *error)
{
	char path[PATH_MAX];
	struct trm_error *gone = trm_process_keep(host->process, path, sizeof(path));

	if (!gone && *path)
		return trm_error_prefix(error, "the profile stays there, in '%s'", path);
	trm_error_destroy(gone);
	return error;
}

/* Brings a profile here; of several hosts each gets a name of its own. */
static struct trm_error *bring_profile(const struct far_job *job, struct far_host *host,
				       const char *output)
{
	struct text path = {0};

	if (job->hosts.count > 1)
		text_format(&path, "%s.%zu", output,
			    (size_t)(host - job->hosts.items) + 1);
	else
		text_add(&path, output);
	struct trm_error *error = trm_process_save(host->process, path.data);

	if (error) {
		text_deinit(&path);
		return error->code == TRM_ERROR_SYSTEM ? keep_there(host, error) : error;
	}
	host->profile = path.data;
	far_modules_note(&job->way, host->name, host->profile);
	return NULL;
}

static struct trm_error *merge_profiles(const struct far_job *job, const char *output)
{
	struct VECTOR(const char *) paths = {0};

	vector_for_each (&job->hosts, host)
		if (host->profile)
			vector_push(&paths, host->profile);
	vector_push(&paths, NULL);
	struct trm_error *error = paths.count > 1 && job->hosts.count > 1
					  ? trm_profiles_merge(paths.items, output)
					  : NULL;

	vector_deinit(&paths);
	if (!error && job->hosts.count > 1)
		vector_for_each (&job->hosts, host)
			if (host->profile)
				unlink(host->profile);
	return error;
}

/* Whether there is a profile of any host here. */
static bool bring_profiles(struct far_job *job, const char *output)
{
	bool any = false;

	vector_for_each (&job->hosts, host) {
		struct trm_error *error = host->started && !host->abandoned
						  ? bring_profile(job, host, output)
						  : NULL;

		if (error) {
			host->status = host->status ? host->status : EXIT_FAILED;
			far_print_error(host, error);
		}
		any = any || host->profile;
	}
	return any;
}

static int status_of(const struct far_job *job)
{
	vector_for_each (&job->hosts, host)
		if (host->status)
			return host->status;
	return EXIT_DONE;
}

static int finish_measurement(struct far_job *job)
{
	scoped_free char *output = choose_output(job);
	const struct option_settings *settings = job->settings;
	const struct report_options report = {
		.verbose = option_settings_find(settings, "verbose") != NULL};
	const char *database = saving_database(option_settings_find(settings, "db"));
	const bool any = bring_profiles(job, output);
	struct trm_error *error = any ? merge_profiles(job, output) : NULL;
	const int status = status_of(job);

	if (!error && any && !option_settings_find(settings, "quiet"))
		error = report_text_summary(stderr, output, &report);
	if (error) {
		trm_error_print(error);
		return EXIT_FAILED;
	}
	if (any && !saving_finish(database, output) && !status)
		return EXIT_FAILED;
	return status;
}

static int print_usage_error(struct trm_error *error)
{
	trm_error_print(error);
	return EXIT_USAGE;
}

static int measure_far(struct far_job *job)
{
	const char *pid = option_settings_find(job->settings, "pid");

	job->way = far_way_of(job->settings);
	job->pid = pid ? atoi(pid) : 0;
	if (pid && job->pid <= 0)
		return print_usage_error(trm_error_create(
			TRM_ERROR_USAGE, "--pid '%s' is not a process number", pid));
	struct trm_error *error = far_job_do(job);

	if (error)
		return print_usage_error(error);
	int status = finish_measurement(job);

	far_job_deinit(job);
	return status;
}

int far_run(const struct option_settings *settings)
{
	struct far_job job = {.settings = settings, .console_fd = -1, .reads = true};

	if (!settings->words.count)
		return print_usage_error(trm_error_create(
			TRM_ERROR_USAGE,
			"no program to run. Try: trammel run --host HOST -- ls"));
	return measure_far(&job);
}

int far_attach(const struct option_settings *settings)
{
	struct far_job job = {.settings = settings, .console_fd = -1};

	if (!option_settings_find(settings, "pid") || settings->words.count)
		return print_usage_error(trm_error_create(
			TRM_ERROR_USAGE,
			"no process: trammel attach --host HOST -p PID --for 10s"));
	return measure_far(&job);
}

static struct trm_error *check_one(const struct far_way *way, const char *what)
{
	struct far_names names;

	TRM_TRY(far_names_read(way, &names));
	const bool several = names.count > 1;

	far_names_deinit(&names);
	return several ? trm_error_create(TRM_ERROR_USAGE,
					  "%s one host at a time: --host '%s' names "
					  "several",
					  what, way->hosts)
		       : NULL;
}

int far_debug(const struct option_settings *settings, int console_fd)
{
	struct far_job job = {.settings = settings, .console_fd = console_fd};
	const struct far_way way = far_way_of(settings);
	struct trm_error *error = check_one(&way, "a program is debugged on");

	return error ? print_usage_error(error) : measure_far(&job);
}

int far_stacks(const struct far_way *way, uint32_t pid, bool json)
{
	struct far_job job = {.way = *way,
			      .pid = (pid_t)pid,
			      .console_fd = -1,
			      .stacks = true,
			      .json = json};
	struct trm_error *error = json ? check_one(way, "--json is for") : NULL;

	if (!error)
		error = far_job_do(&job);
	if (error)
		return print_usage_error(error);
	vector_for_each (&job.hosts, host) {
		if (!host->output.length)
			continue;
		if (job.hosts.count > 1)
			printf("%s: ", host->name);
		fwrite(host->output.data, 1, host->output.length, stdout);
	}
	int status = status_of(&job);

	far_job_deinit(&job);
	return status;
}

#else

static int tell_missing(void)
{
	trm_error_print(far_missing());
	return EXIT_FAILED;
}

int far_run(const struct option_settings *settings)
{
	(void)settings;
	return tell_missing();
}

int far_attach(const struct option_settings *settings)
{
	(void)settings;
	return tell_missing();
}

int far_debug(const struct option_settings *settings, int console_fd)
{
	(void)settings, (void)console_fd;
	return tell_missing();
}

int far_stacks(const struct far_way *way, uint32_t pid, bool json)
{
	(void)way, (void)pid, (void)json;
	return tell_missing();
}

#endif
