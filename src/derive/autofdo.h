/* Writing sample profiles for AutoFDO. */
#ifndef TRAMMEL_DERIVE_AUTOFDO_H
#define TRAMMEL_DERIVE_AUTOFDO_H

#include "derive/pbo.h"

/*
 * Adds the profile of a module for clang's -fprofile-sample-use: the text form of
 * AutoFDO's. Errors: those of annotation_open; TRM_ERROR_UNSUPPORTED without debug
 * information.
 *
 * Source: clang's manual, "Sample Profile Text Format"
 */
struct trm_error *pbo_autofdo(const struct report_profile *profile,
			      const struct report_module *module,
			      struct pbo_result *ret_result, struct text *out);

#endif
