/* Services from outside: see include/trammel/service.h. */
#ifndef TRAMMEL_RUNTIME_SERVICE_EXTERNAL_SERVICES_H
#define TRAMMEL_RUNTIME_SERVICE_EXTERNAL_SERVICES_H

#include <stddef.h>

struct service;

struct trm_service;

/* Loads the libraries of TRAMMEL_SERVICE_LIBRARIES, once; what is wrong with them is said
 * on standard error. */
void external_services_load(void);
/* Those that there are, by number from 0 on; NULL behind the last one. */
const struct service *external_service_at(size_t index);
/* As trm_service_add; see add_watcher in runtime/process/caliper_host.h. */
const char *external_service_add_watcher(const struct trm_service *given);

#endif
