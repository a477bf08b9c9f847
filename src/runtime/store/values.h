/* Values of the moment, of threads and of the process. */
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

/* Removes the value of the attribute. */
void values_drop(uint32_t attribute);

/* Returns the value; NULL if it has none. Valid until the thread keeps another one. */
const struct moment *values_get(uint32_t attribute);

/* Returns a number above those of all attributes that have values. */
uint32_t values_room(void);

/* Frees the values of a thread that ends. */
void values_forget(void);

/* Keeps a value of the process; under a lock. */
void values_keep_process(uint32_t attribute, uint64_t bits);

/* Removes a value of the process. */
void values_drop_process(uint32_t attribute);

/* Gets a value of the process; returns false if it has none. */
bool values_get_process(uint32_t attribute, uint64_t *ret_bits);

/* Visits each value of the process that is set. */
void values_each_process(void (*visit)(void *context, uint32_t attribute, uint64_t bits),
			 void *context);

/* Takes over the values in a child of fork. `own_spool`: it has another spool, to which
 * values_rewrite() writes the values of the run. */
void values_resume(bool own_spool);

/* Writes the values of the run to the spool of a child of fork. */
void values_rewrite(void);

/* Converts the bits of a node to a value. */
struct trm_value values_from_bits(const struct context_attribute *attribute,
				  uint64_t bits);

#endif
