/*
 * The objects of the library as who uses it has them: tickets, which look like pointers.
 * No ticket is given twice, so one of an object that was released is known as such.
 */
#ifndef TRAMMEL_LIBCONTROL_OBJECTS_H
#define TRAMMEL_LIBCONTROL_OBJECTS_H

#include "base/error.h"

#include <stdint.h>

enum object_kind {
	OBJECT_ENGINE = 1,
	OBJECT_PROCESS,
	OBJECT_MEASUREMENTS,
	OBJECT_EVENT,
	OBJECT_PROFILE,
	OBJECT_RECORDS,
	OBJECT_KINDS
};

/* Gives an object its ticket. */
void *object_add(enum object_kind kind, void *object);

/* Finds an object of a kind by its ticket; an error (TRM_ERROR_USAGE) if it was released,
 * or is of another kind. */
struct trm_error *object_find(const void *ticket, enum object_kind kind,
			      void **ret_object);

/* Takes the ticket away: the object is found no more. Returns the object; NULL: there is
 * none. */
void *object_remove(const void *ticket, enum object_kind kind);

#endif
