/* values.c. */
#ifndef TRAMMEL_RUNTIME_STORE_VALUES_H
#define TRAMMEL_RUNTIME_STORE_VALUES_H

#include "runtime/store/state.h"

/* Values of the moment, of this thread; `now`: ticks. The thread is busy. */
struct moment {
	uint64_t bits;  /* as nodes have them */
	uint64_t began; /* ticks */
	bool set;
};
void values_keep(uint32_t attribute, uint64_t bits, uint64_t now);

/* It has no value any more. */
void values_drop(uint32_t attribute);

/* NULL: it has none. Valid until the thread keeps another one. */
const struct moment *values_get(uint32_t attribute);

/* Numbers of attributes are less than this. */
uint32_t values_room(void);

/* The thread ends. */
void values_forget(void);

/* The same of the process; under a lock. */
void values_keep_process(uint32_t attribute, uint64_t bits);

void values_drop_process(uint32_t attribute);

bool values_get_process(uint32_t attribute, uint64_t *ret_bits);

/* Each that is set. */
void values_each_process(void (*visit)(void *context, uint32_t attribute, uint64_t bits),
			 void *context);

/* In a child of fork. `own_spool`: it has another one, for values_rewrite to write what
 * holds of the run to. */
void values_resume(bool own_spool);

/* Writes what holds of the run to the spool of a child of fork. */
void values_rewrite(void);

/* The bits of a node as a value. */
struct trm_value values_from_bits(const struct context_attribute *attribute,
				  uint64_t bits);

#endif
