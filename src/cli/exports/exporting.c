#include "cli/exports/exporting.h"

#include "base/array.h"

#include <stdio.h>

const struct export_format *exporting_formats(size_t number)
{
	size_t count = 0;

	while (export_formats[count].name)
		count++;
	return number < count ? &export_formats[number] : NULL;
}

/* Whether any sum is more than the format has room for. */
static bool is_too_large(const struct report_profile *profile)
{
	vector_for_each (&profile->functions, function)
		if (function->calls > INT64_MAX || function->instructions > INT64_MAX ||
		    function->samples > INT64_MAX || function->inclusive_ns > INT64_MAX)
			return true;
	return false;
}

struct trm_error *exporting_write(const struct exporting *exporting, int fd,
				  bool compressed)
{
	if (exporting->format->bounded && is_too_large(exporting->profile))
		fprintf(stderr,
			"trammel: warning: there are counts of 2^63 and more, which %s "
			"has no room for: they are written as 2^63 - 1\n",
			exporting->format->name);
	return export_write(exporting->format, exporting->profile, exporting->options, fd,
			    compressed);
}
