/* EVENT_TRIGGER: names of the attributes whose events count, where not all do. */
#include "runtime/channel/trigger.h"
#include "runtime/channel/settings.h"
#include "runtime/store/attributes.h"
#include "runtime/store/memory.h"
#include "runtime/store/strings.h"

#include <string.h>

enum { UNKNOWN, WANTED, UNWANTED };

struct triggers {
	const char *names;
	unsigned char verdicts[TRIGGER_ATTRIBUTES]; /* found out at the first event */
};

struct triggers *triggers_create(const struct settings *settings)
{
	const char *names = settings_get(settings, "EVENT_TRIGGER");
	struct triggers *triggers =
		names && *names ? runtime_map(sizeof(*triggers)) : NULL;

	if (triggers)
		triggers->names = settings_keep(names, strlen(names));
	return triggers && triggers->names ? triggers : NULL;
}

static bool is_among(const char *names, const char *name)
{
	for (size_t length; *names; names += length + (names[length] != '\0')) {
		length = strcspn(names, ",:");
		if (length == strlen(name) && !strncmp(names, name, length))
			return true;
	}
	return false;
}

/* Two threads that find it out find the same. */
bool triggers_pass(struct triggers *triggers, uint32_t attribute)
{
	unsigned char *verdict = &triggers->verdicts[attribute % TRIGGER_ATTRIBUTES];

	if (*verdict == UNKNOWN)
		*verdict = is_among(triggers->names,
				    strings_at(attributes_get(attribute)->name)->bytes)
				   ? WANTED
				   : UNWANTED;
	return *verdict == WANTED;
}
