/* Code of numbers of floating point. Only for emit_node.c. */
#ifndef TRAMMEL_PROBE_EMIT_FLOAT_H
#define TRAMMEL_PROBE_EMIT_FLOAT_H

#include "probe/emit_node.h"

/* Writes code that makes the bits of a number of floating point, `size` bytes, in a
 * register that was taken, an integer: `scale` times the number, without its fraction.
 * What has no such integer is an error. */
void probe_emit_float(struct probe_emit *emit, int number, unsigned size, int64_t scale);

#endif
