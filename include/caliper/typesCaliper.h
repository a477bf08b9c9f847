/* Texts for programs that know the compatible interface by handles: see caliper/cali.h.
 */
#ifndef CALI_TYPESCALIPER_H
#define CALI_TYPESCALIPER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct s_cali_SHROUD_capsule_data {
	void *addr; /* to be free()d */
	int idtor;
} cali_SHROUD_capsule_data;

/* A text. */
typedef struct s_cali_SHROUD_array {
	cali_SHROUD_capsule_data cxx;
	union {
		const void *base;
		const char *ccharp;
	} addr;
	int type;
	size_t elem_len; /* bytes */
	size_t size;
	int rank;
	long shape[7];
} cali_SHROUD_array;

void cali_SHROUD_memory_destructor(cali_SHROUD_capsule_data *capsule);

#ifdef __cplusplus
}
#endif

#endif
