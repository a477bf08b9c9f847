#include "session/profile/contexts_save.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "context/recover.h"
#include "context/save.h"
#include "record/value.h"
#include "session/count/window.h"
#include "session/profile/profile_writer.h"
#include "symbols/naming.h"

#include <string.h>

/* The image that a spool is of: the process's last one that began before it. Not each has
 * one, as what a fork made may execute another program before it says anything. */
static const struct image_run *image_of(const struct session *session,
					const struct context_spool *spool)
{
	const struct image_run *found = NULL;

	vector_for_each (&session->images, image)
		if ((uint32_t)(*image)->pid == spool->pid &&
		    (!found || (*image)->start_ns <= spool->begin.ns))
			found = *image;
	return found;
}

static void say_written(const char *path, const struct context_spool *head)
{
	fprintf(stderr,
		"trammel: process %u ended before it wrote what its channel had: "
		"that is in '%s'\n",
		head->pid, path);
}

/* Channels of processes that were killed, beside the profile. */
void contexts_recover(const char *output, const struct context_spools *spools)
{
	const char *slash = strrchr(output, '/');
	scoped_free char *folder =
		strndup(output, slash ? (size_t)(slash - output) + 1 : 0);
	const struct context_recovery recovery = {folder, false, NULL, &symbols_naming,
						  say_written};

	vector_for_each (spools, spool)
		if (!spool->head->finished && !context_is_running(spool->head)) {
			struct trm_error *error =
				context_recover_process(&recovery, spool);

			if (error)
				trm_error_print(error);
		}
}

static void save_spool(const struct session *session, const struct context_saving *writer,
		       const struct context_process *spool, uint64_t image)
{
	if (window_has_context_parts(session))
		context_save_parts(writer, spool, image, &session->parts,
				   session->window.intervals.count);
	else if (session->sampler && !session->options->collector->trace)
		context_save_paths(writer, spool, image);
	else
		context_save(writer, spool, image);
}

struct trm_error *contexts_save(struct profile_writer *writer)
{
	struct session *session = writer->session;
	struct context_saving context;

	if (!session->options->context.folder)
		return NULL;
	TRM_TRY(context_saving_init(&context, writer->writer, writer->model));
	if (session->window.state == WINDOW_OPEN)
		window_take_context(session, true);
	struct context_spools spools =
		context_spools_read(session->options->context.folder);
	struct text faults = {0};

	if (spools.count)
		context.first_ns = spools.items[0].head->begin.ns;
	for (size_t i = 0; i < spools.count; i++) {
		const struct image_run *image = image_of(session, spools.items[i].head);

		if (image && !image->hidden)
			save_spool(session, &context, &spools.items[i], image->number);
		context_describe_faults(&spools.items[i], &faults);
	}
	context_describe_static(&spools, session->options->context.is_static, &faults);
	contexts_recover(session->options->output, &spools);
	context_spools_deinit(&spools);
	struct trm_error *error =
		faults.length ? profile_writer_global(writer, "context.faults",
						      record_string(faults.data))
			      : NULL;

	text_deinit(&faults);
	return error;
}
