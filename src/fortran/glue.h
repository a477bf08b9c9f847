/*
 * The C side of the Fortran module: the functions that trammel.f90 declares once more.
 *
 * Texts are passed as bytes and their number, without the blanks at the end. Attributes
 * are numbers of trammel/annotate.h; 0 stands for no attribute.
 */
#ifndef TRAMMEL_FORTRAN_GLUE_H
#define TRAMMEL_FORTRAN_GLUE_H

#include "trammel/annotate.h"

/* Tells whether something measures: 1 or 0. */
int32_t trmf_active(void);

/* Returns the attribute `name`, of enum trm_type `type`, made if it is new; 0 if it
 * cannot be made. */
int32_t trmf_attribute(const char *name, int64_t length, int32_t type,
		       int32_t properties);
void trmf_begin(int32_t attribute, const struct trm_value *value);
void trmf_set(int32_t attribute, const struct trm_value *value);
void trmf_end(int32_t attribute);

/* Begins, sets or ends a value of the attribute with this name, which has at most 255
 * bytes. */
void trmf_begin_named(const char *name, int64_t length, const struct trm_value *value);
void trmf_set_named(const char *name, int64_t length, const struct trm_value *value);
void trmf_end_named(const char *name, int64_t length);

/* Begins a region with this name; the functions below end it, and begin and end an
 * iteration of a loop. */
void trmf_region_begin(const char *name, int64_t length);
void trmf_region_end(const char *name, int64_t length);
void trmf_loop_begin(const char *name, int64_t length, int64_t iteration);
void trmf_loop_end(const char *name, int64_t length);

#endif
