#include "daemon/requests.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "daemon/log.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static struct trm_error *answer_status(struct daemon *daemon, const char *rest,
				       struct text *ret_answer)
{
	const struct sampler *sampler = daemon->sampler;
	char since[32];
	uint64_t taken = 0;

	(void)rest;
	for (size_t i = 0; i < sampler->events.count; i++)
		taken += sampler->taken[i];
	log_time(daemon->begin, since, sizeof(since));
	text_format(ret_answer,
		    "process:     %d, since %s\n"
		    "database:    %s\n"
		    "samples:     %s%s\n"
		    "processes:   %zu\n"
		    "epoch:       %s\n"
		    "label:       %s\n"
		    "taken:       %" PRIu64 ", lost %" PRIu64 ", dropped %" PRIu64 "\n"
		    "written:     %" PRIu64 " numbers in %" PRIu64 " parts\n"
		    "in memory:   %zu sums of at most %zu\n"
		    "time:        %.3f s of the processor for reading samples\n",
		    (int)getpid(), since, daemon->shown,
		    daemon->watch.all ? "all processes" : "this user's processes",
		    sampler->source.kernel ? ", and the kernel" : "",
		    daemon->watch.all ? sampler->processes.images.count
				      : daemon->watch.seen,
		    daemon->epoch ? daemon->epoch : "by day",
		    daemon->label ? daemon->label : "none", taken, sampler->lost,
		    sampler->sums.dropped, daemon->numbers, daemon->flushes,
		    sampler->sums.sums.count, sampler->sums.most,
		    (double)sampler->own_ns / 1e9);
	if (daemon->failing)
		text_format(ret_answer, "trouble:     %s\n", daemon->failure);
	return NULL;
}

static struct trm_error *answer_flush(struct daemon *daemon, const char *rest,
				      struct text *ret_answer)
{
	(void)rest;
	TRM_TRY(daemon_flush(daemon));
	text_format(ret_answer, "written: %" PRIu64 " numbers\n", daemon->numbers);
	return NULL;
}

static struct trm_error *answer_stop(struct daemon *daemon, const char *rest,
				     struct text *ret_answer)
{
	(void)rest;
	(void)ret_answer;
	daemon->stop = true;
	return NULL;
}

static struct trm_error *answer_epoch(struct daemon *daemon, const char *rest,
				      struct text *ret_answer)
{
	TRM_TRY(daemon_new_epoch(daemon, rest));
	text_format(ret_answer, "epoch '%s'\n", daemon->epoch);
	return NULL;
}

static struct trm_error *answer_label(struct daemon *daemon, const char *rest,
				      struct text *ret_answer)
{
	TRM_TRY(daemon_flush(daemon));
	free(daemon->label);
	daemon->label = *rest ? memory_copy_string(rest) : NULL;
	daemon_new_run(daemon);
	text_format(ret_answer, "label '%s'\n", rest);
	return NULL;
}

/* "PID START SIZE [+OFFSET] FILE": code of a file that a process put somewhere itself. */
static struct trm_error *answer_register(struct daemon *daemon, const char *rest,
					 struct text *ret_answer)
{
	struct sample_mapping mapping = {0};
	uint32_t pid;
	int name = 0;

	if (sscanf(rest, "%" SCNu32 " %" SCNx64 " %" SCNx64 " +%" SCNx64 " %n", &pid,
		   &mapping.start, &mapping.size, &mapping.file_offset, &name) < 4)
		sscanf(rest, "%" SCNu32 " %" SCNx64 " %" SCNx64 " %n", &pid,
		       &mapping.start, &mapping.size, &name);
	mapping.name = rest + name;
	if (!name || *mapping.name != '/' || !mapping.size ||
	    mapping.start + mapping.size < mapping.start)
		return trm_error_create(TRM_ERROR_USAGE,
					"'%s' is not PID START SIZE [+OFFSET] FILE: "
					"numbers are hexadecimal but for the first, and "
					"the file's path begins with a slash",
					rest);
	/* What was sampled so far is not of it. */
	sampler_take(daemon->sampler, true);
	sample_processes_map(&daemon->sampler->processes, pid, &mapping);
	text_format(ret_answer, "%s is at 0x%" PRIx64 " in process %" PRIu32 "\n",
		    mapping.name, mapping.start, pid);
	return NULL;
}

static const struct request {
	const char *name;
	struct trm_error *(*answer)(struct daemon *daemon, const char *rest,
				    struct text *ret_answer);
} requests[] = {
	{"status", answer_status}, {"flush", answer_flush}, {"stop", answer_stop},
	{"epoch", answer_epoch},   {"label", answer_label}, {"register", answer_register},
};

static struct trm_error *answer_line(struct daemon *daemon, char *line, struct text *to)
{
	const size_t length = strcspn(line, " ");
	const char *rest = line + length + (line[length] == ' ');

	line[length] = '\0';
	for (size_t i = 0; i < array_count(requests); i++)
		if (!strcmp(requests[i].name, line))
			return requests[i].answer(daemon, rest, to);
	return trm_error_create(TRM_ERROR_USAGE, "'%s' is nothing that a daemon knows",
				line);
}

void requests_serve(struct daemon *daemon)
{
	char line[PATH_MAX + 128];

	while (!daemon->stop && control_take(&daemon->control, line, sizeof(line))) {
		struct text text = {0};
		struct trm_error *error = answer_line(daemon, line, &text);

		/* The end is told when all is written. */
		if (!daemon->stop)
			control_answer(&daemon->control, text.data ? text.data : "",
				       error);
		text_deinit(&text);
	}
}
