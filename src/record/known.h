/* Attributes that the records of profiles have, whoever writes them: their types and
 * properties are said once. */
#ifndef TRAMMEL_RECORD_KNOWN_H
#define TRAMMEL_RECORD_KNOWN_H

#include "record/model.h"

/* Makes the attributes of a table of names. Errors: a name that the table in known.c does
 * not have, and those of record_attribute_intern. */
struct trm_error *record_attributes_intern(struct record_model *model,
					   const struct record_attribute_row *rows,
					   size_t count);

#endif
