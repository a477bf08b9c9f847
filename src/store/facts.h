/* What a profile says of its runs, processes and modules, which must be known before its
 * numbers are taken in. */
#ifndef TRAMMEL_STORE_FACTS_H
#define TRAMMEL_STORE_FACTS_H

#include "base/error.h"
#include "base/table.h"
#include "base/vector.h"
#include "record/record.h"

#include <stdbool.h>
#include <stdint.h>

/* Something that is known of a run: "run.command", and the text of its value. */
struct fact {
	char *name, *text;
};

struct fact_run {
	uint64_t number; /* in a merged profile; else 0 */
	struct VECTOR(struct fact) facts;
};

/* A module in an image (a process from exec to exec). */
struct fact_module {
	uint64_t image;
	char *path, *build;
	uint64_t known, instrumented;
};

struct facts {
	struct record_model *model;
	struct VECTOR(struct fact_run) runs; /* at least one, once a profile was read */
	struct table run_of_image;           /* index in `runs` */
	struct VECTOR(struct fact_module) modules;
	struct table module_of; /* index in `modules` + 1, by image and path */
	size_t heads, records;
};

/* Reads the facts of a profile. `ret_warning` is that of trm_read. */
struct trm_error *facts_read(struct facts *facts, const char *path, char **ret_warning);

/* Returns the text of something known of a run, `otherwise` if it is not. */
const char *facts_get(const struct fact_run *run, const char *name,
		      const char *otherwise);

/* Returns the run of an image: its index. */
size_t facts_run_of(const struct facts *facts, uint64_t image);

/* Returns the build id of the module with this path in an image; "" if it is unknown. */
const char *facts_build_of(const struct facts *facts, uint64_t image, const char *path);

/* Frees what was read. */
void facts_deinit(struct facts *facts);

#endif
