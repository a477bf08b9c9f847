/* Attributes of the process. */
#ifndef TRAMMEL_RUNTIME_STORE_ATTRIBUTES_H
#define TRAMMEL_RUNTIME_STORE_ATTRIBUTES_H

#include "runtime/store/state.h"

#include <stdbool.h>
#include <stdint.h>

/* Finds an attribute by name, without a lock; returns 0 if it is not known. */
uint32_t attributes_find(const char *name);

/* Returns the attribute `name`, made if it is new; 0 if there is no room. */
uint32_t attributes_create(const char *name, uint32_t type, uint32_t properties);

enum { ATTRIBUTES_MAX = 1 << 16 };

/* Returns the attribute as attributes_create() does, for the program itself, and notes
 * that the program has used the library. */
uint32_t attributes_tell(const char *text, uint32_t type, uint32_t properties);

/* Tells whether the program has used the library. */
bool attributes_told(void);

/* Tells whether profiles can hold the name. */
bool attributes_can_be(const char *name);

/* Returns the record of an attribute; NULL if the process has no such attribute. */
const struct context_attribute *attributes_get(uint32_t attribute);

/* Tells whether its values are names of loops. */
bool attributes_is_loop(uint32_t attribute);

/* Tells whether its values are numbers of iterations: iteration#NAME. */
bool attributes_is_iteration(uint32_t attribute);

/* Notes that the attribute has a value for `key`. The first value noted counts. */
void attributes_say(uint32_t attribute, uint32_t key, uint64_t bits);

/* Visits all values that attributes_say() noted. */
void attributes_each_said(void (*visit)(void *context, uint32_t attribute, uint32_t key,
					uint64_t bits),
			  void *context);

/* Tells whether an attribute has the scope of a task. */
bool attributes_have_tasks(void);

/* Frees the lock in a child of fork. `copied`: also drops attributes that the parent has
 * added to the spool since it was copied. */
void attributes_resume(bool copied);

/* Keeps attributes from being added while `held`. */
void attributes_hold(bool held);

#endif
