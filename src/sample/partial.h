/* Frames of a thread of which only the stack and the stack pointer are known: the frame
 * pointer, where a frame is found by that alone, is looked for. */
#ifndef TRAMMEL_SAMPLE_PARTIAL_H
#define TRAMMEL_SAMPLE_PARTIAL_H

#include "sample/stack.h"

/* Finds the frame pointer of the innermost frame of `place`, whose value is not known
 * (0), by the code that set it; or else the one that leads to the outermost frame. False:
 * it is known, is not what is missing, or there is none. */
bool sample_partial_find(const struct sample_walk *walk, const struct unwind_view *view,
			 struct unwind_place *place);

#endif
