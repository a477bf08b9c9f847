/* Names of counters that libpfm4 knows: the counters of each processor, and of the
 * kernel. */
#ifndef TRAMMEL_BASE_PFM_H
#define TRAMMEL_BASE_PFM_H

#include <linux/perf_event.h>

struct perf_event_attr;

/* Finds the counter of the event `name`, as "inst_retired:any" or "perf::PAGE-FAULTS",
 * and writes its attributes. Returns NULL, or the reason why it cannot; the library is
 * loaded at the first call. */
const char *pfm_find(const char *name, struct perf_event_attr *ret_attributes);

#endif
