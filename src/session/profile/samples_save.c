#include "session/profile/samples_save.h"

#include "base/cleanup.h"
#include "sample/sampler.h"
#include "sample/save.h"
#include "session/profile/sample_contexts.h"

/* The images that a process had come in the same order in the records of samples. */
static uint32_t *match_images(const struct session *session,
			      const struct sampler *sampler)
{
	const size_t count = sampler->processes.images.count;
	uint32_t *numbers = memory_allocate_zeroed(count + 1, sizeof(*numbers));
	bool *used = memory_allocate_zeroed(session->images.count + 1, sizeof(*used));

	for (size_t i = 0; i < count; i++) {
		const uint32_t pid = sampler->processes.images.items[i].pid;
		const uint32_t owner = sampler->processes.images.items[i].owner;

		if (owner) {
			numbers[i] = session->images.items[owner - 1]->hidden ? 0 : owner;
			continue;
		}
		for (size_t at = 0; at < session->images.count; at++) {
			const struct image_run *image = session->images.items[at];

			if (used[at] || (uint32_t)image->pid != pid)
				continue;
			used[at] = true;
			numbers[i] = image->hidden ? 0 : image->number;
			break;
		}
	}
	free(used);
	return numbers;
}

struct trm_error *samples_save(struct profile_writer *writer)
{
	struct sampler *sampler = writer->session->sampler;

	if (!sampler)
		return NULL;
	scoped_free uint32_t *numbers = match_images(writer->session, sampler);
	const struct sample_saving saving = {
		.model = writer->model,
		.writer = writer->writer,
		.numbers = numbers,
		.modules_known = !writer->session->options->collector->spans_alone,
	};

	sample_source_count(&sampler->source);
	sample_contexts_place(sampler);
	return sample_save(&saving, sampler);
}
