/* attributes.c. */
#ifndef TRAMMEL_RUNTIME_STORE_ATTRIBUTES_H
#define TRAMMEL_RUNTIME_STORE_ATTRIBUTES_H

#include "runtime/store/state.h"

#include <stdbool.h>
#include <stdint.h>

/* The attribute if it is known, without a lock; 0 if it is not. */
uint32_t attributes_find(const char *name);

/* The attribute, made if it is new; 0 if there is no room. */
uint32_t attributes_create(const char *name, uint32_t type, uint32_t properties);

enum { ATTRIBUTES_MAX = 1 << 16 };

/* The same for the program itself, which from then on has said something. */
uint32_t attributes_tell(const char *text, uint32_t type, uint32_t properties);

bool attributes_told(void);

/* Whether a name is one that profiles can hold. */
bool attributes_can_be(const char *name);

/* NULL: no attribute of the process. */
const struct context_attribute *attributes_get(uint32_t attribute);

/* Whether its values are names of loops. */
bool attributes_is_loop(uint32_t attribute);

/* Whether its values are numbers of iterations: iteration#NAME. */
bool attributes_is_iteration(uint32_t attribute);

/* What is said of an attribute: that a key has a value for it. What was said first
 * counts. */
void attributes_say(uint32_t attribute, uint32_t key, uint64_t bits);

void attributes_each_said(void (*visit)(void *context, uint32_t attribute, uint32_t key,
					uint64_t bits),
			  void *context);

/* Whether one has the scope of a task. */
bool attributes_have_tasks(void);

void attributes_resume(bool copied);

void attributes_hold(bool held);

#endif
