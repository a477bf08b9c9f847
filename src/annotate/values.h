/* The values of instructions, beside their code: see report/values.h. */
#ifndef TRAMMEL_ANNOTATE_VALUES_H
#define TRAMMEL_ANNOTATE_VALUES_H

#include "annotate/annotation.h"
#include "report/values.h"

/* Reads the values of a function's module, sorted by address. Returns whether there are
 * any in the code that the annotation is about now. The caller deinits them. */
bool annotation_values_init(struct report_values *values,
			    const struct annotation *annotation);

/* Adds what the instruction at an address read and left most, and how often: "rax 0
 * 99.1 %, memory 0x7f00 50.0 %"; nothing where it is not known. */
void annotation_values_add(const struct report_values *values,
			   const struct annotation *annotation, uint64_t address,
			   struct text *out);

/* Adds them all as a member of a JSON object; nothing where there are none. */
void annotation_values_json(const struct report_values *values,
			    const struct annotation *annotation, uint64_t address,
			    struct text *out);

#endif
