/* Writing branch profiles for llvm-bolt. */
#ifndef TRAMMEL_DERIVE_FDATA_H
#define TRAMMEL_DERIVE_FDATA_H

#include "derive/pbo.h"

/*
 * Adds the profile of a module for BOLT: its .fdata form, branches with counts. Routes
 * that are not known are estimated (see estimate.h). Errors: those of annotation_open;
 * TRM_ERROR_UNSUPPORTED if the module has no table of symbols.
 *
 * Source: llvm-project, bolt/include/bolt/Profile/DataReader.h ("The branch data format")
 */
struct trm_error *pbo_fdata(const struct report_profile *profile,
			    const struct report_module *module,
			    struct pbo_result *ret_result, struct text *out);

#endif
