/* symbollookup: what addresses of code are in the source, looked up at a flush. */
#include "runtime/channel/channel.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"

static const char *symbollookup_start(struct channel *channel)
{
	static const struct {
		const char *key;
		enum context_look_up lookup;
		bool otherwise;
	} keys[] = {
		{"SYMBOLLOOKUP_LOOKUP_FUNCTIONS", CONTEXT_LOOK_FUNCTIONS, true},
		{"SYMBOLLOOKUP_LOOKUP_SOURCELOC", CONTEXT_LOOK_PLACES, true},
		{"SYMBOLLOOKUP_LOOKUP_MODULE", CONTEXT_LOOK_MODULES, true},
		{"SYMBOLLOOKUP_LOOKUP_FILE", CONTEXT_LOOK_FILES, false},
		{"SYMBOLLOOKUP_LOOKUP_LINE", CONTEXT_LOOK_LINES, false},
		{"SYMBOLLOOKUP_LOOKUP_INLINES", CONTEXT_LOOK_INLINES, false},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (settings_is_true(&channel->settings, keys[i].key, keys[i].otherwise))
			channel->lookups |= keys[i].lookup;
	return NULL;
}

const struct service service_symbollookup = {
	.name = "symbollookup",
	.about = "functions, lines and modules of addresses, looked up at a flush",
	.keys = "SYMBOLLOOKUP_LOOKUP_FUNCTIONS SYMBOLLOOKUP_LOOKUP_SOURCELOC "
		"SYMBOLLOOKUP_LOOKUP_MODULE SYMBOLLOOKUP_LOOKUP_FILE "
		"SYMBOLLOOKUP_LOOKUP_LINE SYMBOLLOOKUP_LOOKUP_INLINES",
	.start = symbollookup_start,
};
