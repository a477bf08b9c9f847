/* Values and their text. */
#ifndef TRAMMEL_RECORD_VALUE_H
#define TRAMMEL_RECORD_VALUE_H

#include "record/record.h"

struct record_value record_string(const char *text); /* not copied */

/* "int", "uint", "double", ... */
const char *record_type_name(enum record_type type);

/* Adds the value as text reads it ("0x41", "12", "deflate"; a zero byte is "\x00"), or as
 * JSON has it. */
void record_value_text(struct text *text, struct record_value value);
void record_value_json(struct text *text, struct record_value value);

#endif
