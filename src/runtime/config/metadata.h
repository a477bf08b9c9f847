/* What a text of configurations says of the run: metadata(...). */
#ifndef TRAMMEL_RUNTIME_CONFIG_METADATA_H
#define TRAMMEL_RUNTIME_CONFIG_METADATA_H

/* `text`: name=value,...: globals of the run; or file=PATH,keys="NAME,...": those of a
 * JSON file, all of them without `keys`. What is in objects has names with dots between.
 * Of what cannot be had there is a line on standard error. Under specs_lock. */
void metadata_add(const char *text);

#endif
