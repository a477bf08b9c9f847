/* The table of all services. */
#ifndef TRAMMEL_RUNTIME_SERVICE_TABLE_H
#define TRAMMEL_RUNTIME_SERVICE_TABLE_H

/* Makes the services known to channels: see channel/registry.h. May be called again. */
void services_register(void);

#endif
