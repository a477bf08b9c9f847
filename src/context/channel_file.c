/* Profiles of channels that were not written by those who had them. */
#include "context/channel_file.h"

#include "base/cleanup.h"
#include "context/channel_view.h"
#include "context/channels.h"
#include "context/profile.h"
#include "record/model.h"
#include "record/output.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "wire/context_channel.h"

#include <string.h>

/* What the program said of the run. */
static void save_globals(const struct context_channel_saving *saving,
			 const struct context_process *process)
{
	vector_for_each (&process->globals, global) {
		const struct context_known_attribute *known =
			&process->attributes.items[global->attribute];

		if (known->properties & RECORD_AGGREGATABLE)
			continue; /* of each record */
		trm_writer_global(
			saving->writer,
			record_attribute_make(saving->model, known->name, known->type,
					      RECORD_AS_VALUE | RECORD_GLOBAL),
			context_value(process, global->attribute, global->bits));
	}
}

/* The run, as far as the spool knows it. */
static struct trm_error *save_run(const struct context_channel_saving *saving,
				  const struct context_process *process,
				  const struct context_channel *channel)
{
	const struct context_spool *head = process->head;
	char name[CONTEXT_CHANNEL_NAME + 1] = "";
	scoped_free char *program = strndup(head->program, sizeof(head->program) - 1);
	const struct context_run run = {
		.measure = "regions",
		.command = program,
		.start = (time_t)(head->realtime_ns / 1000000000u),
		.exit = "",
	};
	const struct context_saving of = {.writer = saving->writer,
					  .model = saving->model};
	struct text faults = {0};
	struct trm_error *error;

	memcpy(name, channel->name, CONTEXT_CHANNEL_NAME);
	trm_writer_global(saving->writer,
			  record_attribute_make(saving->model, "cali.channel",
						RECORD_STRING,
						RECORD_AS_VALUE | RECORD_GLOBAL),
			  record_string(name));
	save_globals(saving, process);
	context_describe_faults(process, &faults);
	error = context_run_save(&of, &run, faults.data ? faults.data : "", false);
	text_deinit(&faults);
	return error ? error : context_image_save(&of, head, saving->image, "ended");
}

static struct trm_error *write_to(int fd, const struct context_process *process,
				  const struct context_channel *channel,
				  const struct context_naming *naming)
{
	struct record_model *model = record_model_create();
	struct trm_writer *writer = trm_writer_create(fd, model);
	void *names = naming ? naming->begin(process, channel, model) : NULL;
	const struct context_channel_saving saving = {
		.writer = writer,
		.model = model,
		.image = 1,
		.ns_per_tick = process->ns_per_tick,
		.look_up = names ? naming->look_up : NULL,
		.context = names,
	};
	struct trm_error *error = save_run(&saving, process, channel), *disk;

	if (!error)
		context_channel_save(&saving, process, channel->head.channel);
	disk = trm_writer_finish(writer);
	if (names)
		naming->end(names);
	record_model_destroy(model);
	if (!error)
		return disk;
	trm_error_destroy(disk);
	return error;
}

struct trm_error *context_channel_write(const char *path,
					const struct context_process *process,
					const struct context_channel *channel,
					const struct context_naming *naming)
{
	struct trm_output output;

	TRM_TRY(trm_output_open(path, &output));
	return trm_output_close(&output, write_to(output.fd, process, channel, naming));
}
