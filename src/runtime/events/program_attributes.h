/* Attributes that the program makes; a new one is an event. */
#ifndef TRAMMEL_RUNTIME_EVENTS_PROGRAM_ATTRIBUTES_H
#define TRAMMEL_RUNTIME_EVENTS_PROGRAM_ATTRIBUTES_H

#include "runtime/store/state.h"

/* Returns the attribute, made if it is new; 0 if it cannot be made, which is counted. */
trm_attribute program_attributes_make(const char *name, uint32_t type,
				      uint32_t properties);

#endif
