/* Reading Caliper's format. */
#ifndef TRAMMEL_RECORD_CALI_READER_H
#define TRAMMEL_RECORD_CALI_READER_H

#include "record/cali.h"

/* Reads a .cali file, as trm_read does. */
struct trm_error *cali_read(struct trm_source *source, const char *name,
			    struct record_model *model, const struct trm_visitor *visitor,
			    char **ret_warning);

#endif
