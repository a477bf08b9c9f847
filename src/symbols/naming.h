/* Names for addresses of code in profiles: functions, places, modules. */
#ifndef TRAMMEL_SYMBOLS_NAMING_H
#define TRAMMEL_SYMBOLS_NAMING_H

#include "context/channels.h"

struct symbols;
struct naming;

/* `lookups`: enum context_look_up. It owns the symbols. */
struct naming *naming_create(struct record_model *model, struct symbols *symbols,
			     uint32_t lookups);
void naming_destroy(struct naming *naming);

/* Names addresses by the modules listed in a spool; `look_up` also accepts the result
 * of naming_create(). */
extern const struct context_naming symbols_naming;

#endif
