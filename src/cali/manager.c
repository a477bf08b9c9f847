/* Managers of configurations: groups of channels that are added one after the other. */
#include "cali/own.h"

#include "caliper/cali-manager.h"
#include "trammel/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ADDED_MAX = 16, DEFAULTS_MAX = 1024, MESSAGE_MAX = 4096 };

struct cali_manager {
	struct trm_channels *added[ADDED_MAX];
	size_t count;
	char defaults[DEFAULTS_MAX]; /* ,option=value,... */
	char message[MESSAGE_MAX], checked[MESSAGE_MAX];
};

PUBLIC struct cali_manager *cali_manager_create(void)
{
	return calloc(1, sizeof(struct cali_manager));
}

PUBLIC void cali_manager_destroy(struct cali_manager *manager)
{
	for (size_t i = 0; manager && i < manager->count; i++)
		trm_channels_destroy(manager->added[i]);
	free(manager);
}

PUBLIC void cali_manager_set_default(struct cali_manager *manager, const char *option,
				     const char *value)
{
	size_t used;

	if (!manager)
		return;
	used = strlen(manager->defaults);
	snprintf(manager->defaults + used, sizeof(manager->defaults) - used, ",%s=%s",
		 option, value);
}

static void add_message(struct cali_manager *manager, const char *text)
{
	size_t used = strlen(manager->message);

	if (*text)
		snprintf(manager->message + used, sizeof(manager->message) - used, "%s%s",
			 used ? "\n" : "", text);
}

static struct trm_channels *make(struct cali_manager *manager, const char *configuration)
{
	size_t size = strlen(configuration) + sizeof(manager->defaults);
	char *text = own_ready() ? malloc(size) : NULL;
	struct trm_channels *made;

	if (!text)
		return NULL;
	snprintf(text, size, "%s%s", configuration, manager->defaults);
	made = trm_channels_create(text);
	free(text);
	return made;
}

PUBLIC bool cali_manager_add(struct cali_manager *manager, const char *configuration)
{
	struct trm_channels *made;

	if (!manager)
		return false;
	if (manager->count == ADDED_MAX) {
		add_message(manager, "too many configurations in one manager");
		return false;
	}
	made = make(manager, configuration);
	if (made)
		manager->added[manager->count++] = made;
	add_message(manager, trm_channels_message(made));
	return !*trm_channels_message(made);
}

PUBLIC const char *cali_manager_message(const struct cali_manager *manager)
{
	return manager ? manager->message : "there is no memory for a manager";
}

PUBLIC const char *cali_manager_check(struct cali_manager *manager,
				      const char *configuration)
{
	struct trm_channels *made = manager ? make(manager, configuration) : NULL;

	if (!manager)
		return cali_manager_message(NULL);
	snprintf(manager->checked, sizeof(manager->checked), "%s",
		 trm_channels_message(made));
	trm_channels_destroy(made);
	return manager->checked;
}

#define DEFINE_ALL(word)                                                                 \
	PUBLIC void cali_manager_##word(struct cali_manager *manager)                    \
	{                                                                                \
		for (size_t i = 0; manager && i < manager->count; i++)                   \
			trm_channels_##word(manager->added[i]);                          \
	}

DEFINE_ALL(start)
DEFINE_ALL(stop)
DEFINE_ALL(flush)
