/* Samples become records: see docs/profile.md, "sample records". */
#ifndef TRAMMEL_SAMPLE_SAVE_H
#define TRAMMEL_SAMPLE_SAVE_H

#include "record/record.h"
#include "sample/sampler.h"

struct trm_writer;

/* Where the records go. */
struct sample_saving {
	struct record_model *model;
	struct trm_writer *writer;
	/* The numbers that the sampler's images have in the profile, by index; 0: it is
	 * not in it, and nor are its samples. */
	const uint32_t *numbers;
	/* Modules are described elsewhere, too. */
	bool modules_known;
};

/* Writes the samples, the events that they were taken by, and the modules. Names are
 * looked up now. */
struct trm_error *sample_save(const struct sample_saving *saving,
			      struct sampler *sampler);

/* Writes the samples and modules alone. */
struct trm_error *sample_save_rows(const struct sample_saving *saving,
				   struct sampler *sampler);

/* Writes a process record for each image with a number. `state`: how the first process
 * ended; NULL: it runs. */
struct trm_error *sample_save_processes(const struct sample_saving *saving,
					const struct sampler *sampler, const char *state);

#endif
