#include "runtime/channel/registry.h"
#include "runtime/channel/service.h"

#include <string.h>

static const struct service_list *services;

void registry_set(const struct service_list *list)
{
	services = list;
}

const struct service *service_at(size_t index)
{
	return index < services->count ? services->items[index]
				       : services->outside_at(index - services->count);
}

const char *service_name_at(size_t index)
{
	const struct service *service = service_at(index);

	return service ? service->name : NULL;
}

const struct service *service_find(const char *name)
{
	const struct service *service;

	for (size_t i = 0; i < services->alias_count; i++)
		if (!strcmp(name, services->aliases[i][0]))
			name = services->aliases[i][1];
	for (size_t i = 0; i < services->count; i++)
		if (!strcmp(name, services->items[i]->name))
			return services->items[i];
	services->outside_load();
	for (size_t i = 0; (service = services->outside_at(i)); i++)
		if (!strcmp(name, service->name))
			return service;
	return NULL;
}
