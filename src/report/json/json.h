/*
 * The report as one JSON object:
 *
 *     {"profile": {attribute: value, ...},        globals of the (first) run
 *      "runs": [{...}, ...],                      of all, where there are several
 *      "rows": [{"module": ..., "module.path": ..., "function": ...,
 *                "offset": "0x...", "calls": N}, ...],
 *      "modules": [...], "processes": [...], "skipped": [...],
 *      "uncounted_parts": [...]}
 *
 * Rows are all functions, modules, processes or blocks of the selection, as options.by
 * says. Attributes have the names of the profile; `functions.executed` is the number of
 * executed functions of a module or in a process.
 */
#ifndef TRAMMEL_REPORT_JSON_JSON_H
#define TRAMMEL_REPORT_JSON_JSON_H

#include "base/text.h"
#include "report/profile.h"
#include "report/text/report.h"

void report_json(const struct report_profile *profile,
		 const struct report_options *options, struct text *out);

#endif
