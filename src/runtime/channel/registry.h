/* The services that channels can be made of, by name. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_REGISTRY_H
#define TRAMMEL_RUNTIME_CHANNEL_REGISTRY_H

#include <stddef.h>

struct service;

/* All services: see service/table.c. */
struct service_list {
	const struct service *const *items;
	size_t count;
	const char *const (*aliases)[2]; /* other names: of the service, and its own */
	size_t alias_count;
	/* Services of the program and of other libraries, which come last: outside_at by
	 * number from 0 on, NULL after the last one; outside_load loads them. */
	const struct service *(*outside_at)(size_t index);
	void (*outside_load)(void);
};

/* Sets the list of services, which must stay valid. */
void registry_set(const struct service_list *list);

/* Finds a service by name; NULL if none has it. */
const struct service *service_find(const char *name);

/* Return a service, or its name, by its place in the table, from 0 on; NULL after the
 * last one. */
const struct service *service_at(size_t index);
const char *service_name_at(size_t index);

#endif
