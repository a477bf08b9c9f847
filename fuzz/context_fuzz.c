/*
 * The reader of spools on any bytes: what it takes in must be whole, and makes a profile.
 *
 * An input is a spool, of which blocks may be missing at the end. The magic and the
 * version are put right, or few inputs would get past them.
 */
#include "base/text.h"
#include "context/channels.h"
#include "context/reader.h"
#include "context/save.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "wire/context_channel.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program where the reader did not keep its word. */
static void must(bool condition)
{
	if (!condition)
		abort();
}

static void look_at(const struct context_process *process)
{
	vector_for_each (&process->threads, thread)
		for (size_t i = 0; i < thread->paths.count; i++) {
			const struct context_path *path = &thread->paths.items[i];

			must(path->parent <= i &&
			     path->attribute < process->attributes.count);
			must(!i || path->parent < i);
		}
	vector_for_each (&process->rows, row)
		must(row->node < process->threads.items[0].paths.count);
}

static void save_channels(const struct context_process *process,
			  struct trm_writer *writer, struct record_model *model)
{
	const struct context_channel_saving saving = {
		.writer = writer, .model = model, .image = 1, .ns_per_tick = 1};
	struct context_channels channels = context_channels_of(process);

	vector_for_each (&channels, channel)
		context_channel_save(&saving, process, (*channel)->head.channel);
	vector_deinit(&channels);
}

static void save(const struct context_process *process)
{
	struct record_model *model = record_model_create();
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct trm_writer *writer = trm_writer_create(fd, model);
	struct context_saving saving;
	struct text faults = {0};

	must(!context_saving_init(&saving, writer, model));
	context_save(&saving, process, 1);
	context_describe_faults(process, &faults);
	save_channels(process, writer, model);
	trm_error_destroy(trm_writer_finish(writer));
	close(fd);
	text_deinit(&faults);
	record_model_destroy(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t blocks = (size + CONTEXT_BLOCK - 1) / CONTEXT_BLOCK + CONTEXT_HEAD_BLOCKS;
	struct context_process process;
	struct context_spool *head;
	struct trm_error *error;

	if (!size || size > 1 << 20)
		return 0;
	head = aligned_alloc(64, blocks * CONTEXT_BLOCK);
	must(head);
	memset(head, 0, blocks * CONTEXT_BLOCK);
	memcpy(head, data, size);
	memcpy(head->magic, CONTEXT_MAGIC, sizeof(head->magic));
	head->version = CONTEXT_VERSION;
	/* No waiting for the clock to go on. */
	head->ticks_per_second = 1000000000;
	error = context_process_init_memory(&process, head, blocks * CONTEXT_BLOCK,
					    "fuzz");
	must(!error);
	look_at(&process);
	save(&process);
	context_process_deinit(&process);
	free(head);
	return 0;
}
