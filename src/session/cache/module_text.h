/* Texts of modules, and their bytes: original and patched. */
#ifndef TRAMMEL_SESSION_CACHE_MODULE_TEXT_H
#define TRAMMEL_SESSION_CACHE_MODULE_TEXT_H

#include "session/cache/module_file.h"

/* Returns the `size` unpatched bytes at a link-time address; NULL if the file has no
 * bytes there. */
const uint8_t *module_file_original(struct module_file *file, uint64_t address,
				    size_t size);

/*
 * Writes [offset, offset + size) of a text, as the kernel would map it and with all
 * patches, to `bytes`. Works only for a plan that was just made: a plan from the cache
 * has no calls.
 */
void module_text_compose(const struct module_file *file, const struct module_text *text,
			 uint64_t offset, uint64_t size, uint8_t *bytes);

/* Returns how many bytes of a text the file contains; behind them the kernel maps
 * zeros. */
uint64_t module_text_available(const struct module_file *file,
			       const struct module_text *text);

/* Returns how many bytes of the text's patched part the file contains. */
uint64_t module_text_part_available(const struct module_file *file,
				    const struct module_text *text);

#endif
