/* Texts of modules, and their bytes: as they are, and with patches. */
#ifndef TRAMMEL_SESSION_CACHE_MODULE_TEXT_H
#define TRAMMEL_SESSION_CACHE_MODULE_TEXT_H

#include "session/cache/module_file.h"

/* The unpatched bytes at a link-time address; NULL if the file has none there. */
const uint8_t *module_file_original(struct module_file *file, uint64_t address,
				    size_t size);

/*
 * Writes [offset, offset + size) of a text, as the kernel would map it and with all
 * patches, to `bytes`. Only for a plan that was just made: one from the cache has no
 * calls.
 */
void module_text_compose(const struct module_file *file, const struct module_text *text,
			 uint64_t offset, uint64_t size, uint8_t *bytes);

/* Bytes of a text that the file has; behind them the kernel maps zeros. */
uint64_t module_text_available(const struct module_file *file,
			       const struct module_text *text);

/* The same of its part. */
uint64_t module_text_part_available(const struct module_file *file,
				    const struct module_text *text);

#endif
