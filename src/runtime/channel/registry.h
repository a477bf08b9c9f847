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
	/* Those of the program's and of other libraries, which come last: by number from
	 * 0 on, NULL behind the last one; and loads them. */
	const struct service *(*outside_at)(size_t index);
	void (*outside_load)(void);
};

/* Sets the list, which stays. */
void registry_set(const struct service_list *list);

/* The service of a name; NULL: there is none. */
const struct service *service_find(const char *name);

/* By number, in the order of the table; NULL at the end. */
const struct service *service_at(size_t index);
const char *service_name_at(size_t index);

#endif
