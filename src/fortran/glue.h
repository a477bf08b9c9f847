/*
 * The C side of the Fortran module: what trammel.f90 declares once more.
 *
 * Texts are bytes and their number, blanks at the end left out. Attributes are numbers of
 * trammel/annotate.h, 0 for none.
 */
#ifndef TRAMMEL_FORTRAN_GLUE_H
#define TRAMMEL_FORTRAN_GLUE_H

#include "trammel/annotate.h"

/* Whether something measures. */
int32_t trmf_active(void);

int32_t trmf_attribute(const char *name, int64_t length, int32_t type,
		       int32_t properties);
void trmf_begin(int32_t attribute, const struct trm_value *value);
void trmf_set(int32_t attribute, const struct trm_value *value);
void trmf_end(int32_t attribute);

/* The same by name, of at most 255 bytes. */
void trmf_begin_named(const char *name, int64_t length, const struct trm_value *value);
void trmf_set_named(const char *name, int64_t length, const struct trm_value *value);
void trmf_end_named(const char *name, int64_t length);

void trmf_region_begin(const char *name, int64_t length);
void trmf_region_end(const char *name, int64_t length);
void trmf_loop_begin(const char *name, int64_t length, int64_t iteration);
void trmf_loop_end(const char *name, int64_t length);

#endif
