/* Attributes that the program makes: where one is new, that is an event. */
#ifndef TRAMMEL_RUNTIME_EVENTS_PROGRAM_ATTRIBUTES_H
#define TRAMMEL_RUNTIME_EVENTS_PROGRAM_ATTRIBUTES_H

#include "runtime/store/state.h"

/* The attribute, made if it is new; 0: it cannot be had, which is counted. */
trm_attribute program_attributes_make(const char *name, uint32_t type,
				      uint32_t properties);

#endif
