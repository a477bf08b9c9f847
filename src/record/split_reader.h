/* Reading Caliper's split JSON. */
#ifndef TRAMMEL_RECORD_SPLIT_READER_H
#define TRAMMEL_RECORD_SPLIT_READER_H

#include "record/split.h"

/* Reads such a file, as trm_read does. */
struct trm_error *split_read(struct trm_source *source, const char *name,
			     struct record_model *model,
			     const struct trm_visitor *visitor, char **ret_warning);

#endif
