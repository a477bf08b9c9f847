/*
 * Places of findings in the source, from the files of the modules, each opened once.
 */
#ifndef TRAMMEL_ADVISE_PLACES_H
#define TRAMMEL_ADVISE_PLACES_H

#include "advise/advice.h"
#include "image/image.h"

/* Opens nothing yet; for each module of the profile. */
struct advice_modules *advice_modules_create(const struct report_profile *profile);
void advice_modules_destroy(struct advice_modules *modules);

/* Returns the file of a module, if it is the measured one; else NULL. */
const struct image *advice_image(const struct advice *advice, uint32_t module);

/* Finds the line of an address; false where that is not known. `ret_file` lives as long
 * as the modules. */
bool advice_line(const struct advice *advice, uint32_t module, uint64_t address,
		 const char **ret_file, uint32_t *ret_line);

/* Adds "file.c:12", or nothing where that is not known. */
void advice_add_line(const struct advice *advice, uint32_t module, uint64_t address,
		     struct text *out);

/* Returns the index of the module with this path; REPORT_NONE: there is none. */
uint32_t advice_module_find(const struct report_profile *profile, const char *path);

#endif
