/* Actions of one-line probes that points call. */
#ifndef TRAMMEL_RESIDENT_PROBES_H
#define TRAMMEL_RESIDENT_PROBES_H

#include "wire/probes.h"

/* Does an action whose words the code of a point has written to probes->words; `shape`
 * says what it is: see WIRE_PROBE_ACTION and the like. */
void resident_probe(struct wire_probes *probes, uint64_t shape);

#endif
