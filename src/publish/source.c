#include "publish/source.h"

#include "base/cleanup.h"
#include "publish/steps.h"
#include "query/format.h"
#include "query/gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void source_init(struct source *source, const struct publish_channel *request,
		 int profile)
{
	*source = (struct source){.profile = profile,
				  .reduce = request->reduce,
				  .spread = request->spread,
				  .processes = request->processes,
				  .writes = true,
				  .summed = -1};
}

void source_deinit(struct source *source)
{
	if (source->summed >= 0)
		close(source->summed);
}

/* The rows of the first step; the source's own. */
static struct trm_error *run_local(struct source *source, const char *query, bool caliper,
				   int *ret_fd)
{
	*ret_fd = source->profile;
	if (!query)
		return NULL;
	if (source->summed < 0 || source->query != query) {
		source_deinit(source);
		source->summed = -1;
		source->query = query;
		TRM_TRY(step_run(query, caliper, source->profile, &source->summed));
	}
	*ret_fd = source->summed;
	return NULL;
}

static struct trm_error *feed_gather(struct source *source, struct query_gather *gather,
				     const char *local, bool caliper)
{
	struct text warnings = {0};
	struct trm_error *error;
	char name[64];
	int fd;

	TRM_TRY(run_local(source, local, caliper, &fd));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	error = query_gather_read(gather, name, &warnings);
	text_deinit(&warnings);
	return error;
}

static void add_sums(void *context, const void *bytes, uint64_t size)
{
	struct trm_error *error = query_gather_add(context, bytes, size);

	if (error)
		trm_error_print(error);
}

static void *pack_sums(void *context, uint64_t *ret_size)
{
	void *bytes;
	size_t size;

	query_gather_pack(context, &bytes, &size);
	*ret_size = size;
	return bytes;
}

static void print_result(struct query_gather *gather, struct text *out)
{
	const struct query_style style = {.width = 0};
	struct text warnings = {0};

	query_print(query_gather_result(gather, &warnings), &style, out);
	text_deinit(&warnings);
}

/* Others wait for what this process has, so it takes part whatever happens. */
static struct trm_error *gather_all(struct source *source, const char *local,
				    const char *across, bool caliper, struct text *out)
{
	struct trm_error *own = NULL;
	struct query_gather *gather;
	struct query *query;

	TRM_TRY(step_parse(across, caliper, &query));
	gather = query_gather_create(query);
	if (source->profile >= 0)
		own = feed_gather(source, gather, local, caliper);
	if (own)
		trm_error_print(own);
	source->writes =
		!source->reduce ||
		source->reduce(source->processes,
			       &(struct publish_sums){gather, add_sums, pack_sums});
	if (source->writes)
		print_result(gather, out);
	query_gather_destroy(gather);
	query_destroy(query);
	return NULL;
}

struct trm_error *source_add(struct source *source, const char *local, const char *across,
			     bool caliper, struct text *out)
{
	int fd;

	if (source->reduce || source->profile < 0 || !local)
		return gather_all(source, local, across, caliper, out);
	TRM_TRY(run_local(source, local, caliper, &fd));
	return step_add(across, caliper, fd, out);
}

void source_share(const struct source *source, struct text *text)
{
	void *bytes = source->writes ? text->data : NULL;
	uint64_t size = source->writes ? text->length : 0;

	if (!source->reduce)
		return;
	source->spread(source->processes, &bytes, &size);
	if (source->writes)
		return;
	if (size)
		text_add_bytes(text, bytes, size);
	free(bytes);
}
