/* What an engine can measure, and its knobs. */
#ifndef TRAMMEL_LIBCONTROL_MEASUREMENTS_H
#define TRAMMEL_LIBCONTROL_MEASUREMENTS_H

#include "libcontrol/engine.h"

/* A knob; texts are the engine's. */
struct measurements_knob {
	const char *name, *kind, *usual, *about;
	bool adds;
};

/* Finds a knob of a locked engine. */
struct trm_error *measurements_find_knob(struct control_engine *engine, const char *name,
					 struct measurements_knob *ret_knob);

#endif
