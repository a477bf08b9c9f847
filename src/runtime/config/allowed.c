/* Values that options may have, where not all are. */
#include "runtime/config/allowed.h"
#include "runtime/channel/settings.h"
#include "runtime/config/complaints.h"
#include "runtime/config/configurations.h"
#include "runtime/config/items.h"
#include "runtime/config/request.h"

#include <string.h>

static const char *format_at(size_t index)
{
	static const char *const formats[] = {
		"table", "tree", "json",   "json-split", "csv", "expand",
		"cali",  "html", "folded", "hatchet",    "trm", "trace-event",
	};

	return index < sizeof(formats) / sizeof(formats[0]) ? formats[index] : NULL;
}

/* "json(pretty)" is of the format json. */
static bool is_format(const char *value)
{
	size_t length = strcspn(value, "( ");
	const char *format;

	for (size_t i = 0; (format = format_at(i)); i++)
		if (strlen(format) == length && !strncmp(format, value, length))
			return true;
	return false;
}

bool request_allows(const struct request *request,
		    const struct configuration_option *option, const struct item *item)
{
	const char *of = request->configuration->name, *near;

	if (!option->has_value) {
		if (item_is_off(item) || item_is_on(item))
			return true;
		complain("Invalid value \"%s\" for %s", item->value, item->name);
		return false;
	}
	if (strcmp(option->name, "output.format") != 0 || is_format(item->value))
		return true;
	near = settings_nearest(item->value, format_at);
	complain("'%s': there is no %s '%s'%s%s%s", of, item->name, item->value,
		 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	return false;
}
