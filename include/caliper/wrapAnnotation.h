/*
 * Regions and attributes as handles, for programs in C and Fortran: see caliper/cali.h.
 *
 *     cali_ScopeAnnotation region;
 *
 *     cali_ScopeAnnotation_begin("solve", &region);
 *     ...
 *     cali_ScopeAnnotation_end(&region);
 */
#ifndef CALI_WRAPANNOTATION_H
#define CALI_WRAPANNOTATION_H

#include "cali.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct s_cali_ScopeAnnotation {
	void *addr; /* of the region's name, which stays; NULL: it was ended */
	int idtor;
} cali_ScopeAnnotation;

cali_ScopeAnnotation *cali_ScopeAnnotation_begin(const char *name,
						 cali_ScopeAnnotation *region);
/* Once: then nothing happens. */
void cali_ScopeAnnotation_end(cali_ScopeAnnotation *region);

typedef struct s_cali_Annotation {
	void *addr; /* the attribute's name, and itself once it was used; NULL: no memory
		     */
	int idtor;
} cali_Annotation;

/* An attribute by its name, made when it is first used, for ints or texts. */
cali_Annotation *cali_Annotation_new(const char *name, cali_Annotation *annotation);
/* `properties`: cali_attr_properties, or-ed. */
cali_Annotation *cali_Annotation_new_with_properties(const char *name, int properties,
						     cali_Annotation *annotation);
/* Values that are open stay open. */
void cali_Annotation_delete(cali_Annotation *annotation);
void cali_Annotation_begin_int(cali_Annotation *annotation, int value);
void cali_Annotation_begin_string(cali_Annotation *annotation, const char *value);
void cali_Annotation_set_int(cali_Annotation *annotation, int value);
void cali_Annotation_set_string(cali_Annotation *annotation, const char *value);
/* Ends the innermost value. */
void cali_Annotation_end(cali_Annotation *annotation);

#ifdef __cplusplus
}
#endif

#endif
