/* Functions that indirect calls reached. */
#ifndef TRAMMEL_DERIVE_POINTERS_H
#define TRAMMEL_DERIVE_POINTERS_H

#include "derive/pbo.h"

/* The calls through registers and memory inside of a module, of a profile that has calls
 * by call site. The caller frees. */
struct report_arc *pbo_pointer_calls(const struct report_profile *profile,
				     const struct report_module *module,
				     size_t *ret_count);

#endif
