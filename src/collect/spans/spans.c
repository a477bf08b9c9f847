/* Functions that are regions of the program's own context: gates and probes at returns
 * tell the library in the program, see code/calls/spans.h. There is no name for it at -m:
 * it is what --regions adds to a measurement. */
#include "collect/collect.h"
#include "session/position/spans.h"
#include "wire/layout.h"
#include "wire/spans.h"

const struct collector_ops collector_spans_ops = {.bank_bytes = WIRE_SPANS_STACK_TOP,
						  .begin_bank = spans_begin};
