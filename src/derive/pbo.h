/*
 * A profile of blocks in the forms that compilers and linkers read.
 */
#ifndef TRAMMEL_DERIVE_PBO_H
#define TRAMMEL_DERIVE_PBO_H

#include "derive/walk.h"

/* What became of the module's functions. */
struct pbo_result {
	size_t written;
	size_t nameless;  /* without a symbol (BOLT) or debug information (AutoFDO) */
	size_t without;   /* without a graph (BOLT) */
	size_t uncounted; /* executed, without counts of blocks */
};

/* The calls through registers and memory inside of a module, of a profile that has calls
 * by call site. The caller frees. */
struct report_arc *pbo_pointer_calls(const struct report_profile *profile,
				     const struct report_module *module,
				     size_t *ret_count);

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
