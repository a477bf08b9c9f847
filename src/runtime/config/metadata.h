/* Metadata of the run in a text of configurations: metadata(...). */
#ifndef TRAMMEL_RUNTIME_CONFIG_METADATA_H
#define TRAMMEL_RUNTIME_CONFIG_METADATA_H

/* Adds global attributes of the run. `text`: name=value,...; or
 * file=PATH,keys="NAME,...", which adds values of a JSON file, all of them without
 * `keys`. Names of values inside objects are joined by dots. Values that cannot be read
 * are reported on standard error. Called with specs_lock held. */
void metadata_add(const char *text);

#endif
