/* Events as the library has them. */
#ifndef TRAMMEL_LIBCONTROL_EVENT_H
#define TRAMMEL_LIBCONTROL_EVENT_H

#include "libcontrol/engine.h"

/* Makes an event of a message, which it owns then. Returns its ticket. */
struct trm_event *event_create(const struct control_engine *engine,
			       Trm__Message *message);

#endif
