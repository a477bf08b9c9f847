/* Services of the program and of other libraries: see include/trammel/service.h. */
#ifndef TRAMMEL_RUNTIME_SERVICE_EXTERNAL_SERVICES_H
#define TRAMMEL_RUNTIME_SERVICE_EXTERNAL_SERVICES_H

#include <stddef.h>

struct service;

struct trm_service;

/* Loads the libraries of TRAMMEL_SERVICE_LIBRARIES, once; faults in them are reported on
 * standard error. */
void external_services_load(void);
/* Returns a service by number, from 0 on; NULL after the last one. */
const struct service *external_service_at(size_t index);
/* Adds a watcher as trm_service_add() adds a service; see add_watcher in
 * runtime/events/caliper_host_api.h. */
const char *external_service_add_watcher(const struct trm_service *given);

#endif
