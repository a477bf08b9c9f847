/* Attributes whose events make snapshots. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_TRIGGER_H
#define TRAMMEL_RUNTIME_CHANNEL_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

struct settings;
struct triggers;

enum { TRIGGER_ATTRIBUTES = (1 << 16) + 1 }; /* the largest number + 1 */

/* Makes the set of attributes whose events count, by the settings; NULL if all do. */
struct triggers *triggers_create(const struct settings *settings);

/* Tells whether events of the attribute make snapshots. */
bool triggers_pass(struct triggers *triggers, uint32_t attribute);

#endif
