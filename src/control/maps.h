/* The mappings of a process, as /proc/PID/maps lists them. */
#ifndef TRAMMEL_CONTROL_MAPS_H
#define TRAMMEL_CONTROL_MAPS_H

#include "base/error.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A range of addresses that is mapped from one file, or from none. */
struct mapping {
	uint64_t start, end;  /* bytes */
	uint64_t file_offset; /* bytes */
	uint64_t inode;       /* 0: no file */
	dev_t device;
	bool readable, writable, executable, shared;
	uint32_t path; /* offset in maps.text; of "" without a path */
};

/* The address space of a process, sorted by address. */
struct maps {
	struct VECTOR(struct mapping) mappings;
	struct VECTOR(char) text;
};

/* Reads /proc/PID/maps; drops earlier contents. */
struct trm_error *maps_read(pid_t pid, struct maps *maps);

/* Frees the lists. */
void maps_deinit(struct maps *maps);

/* Returns the path of a mapping of these maps; "" if it has none. */
static inline const char *maps_path(const struct maps *maps,
				    const struct mapping *mapping)
{
	return maps->text.items + mapping->path;
}

/* Returns the mapping that contains the address; NULL if there is none. */
const struct mapping *maps_find(const struct maps *maps, uint64_t address);

/* Tells whether nothing is mapped in [start, start + size). */
bool maps_is_free(const struct maps *maps, uint64_t start, uint64_t size);

/* Counts the bytes of [start, start + size) in mappings for which `counts` is true. */
uint64_t maps_count_bytes(const struct maps *maps, uint64_t start, uint64_t size,
			  bool (*counts)(const struct mapping *mapping));

/* Returns the start of the free range of `size` bytes nearest to `near`: page-aligned,
 * not below what programs may map; 0 if there is none within `reach` bytes. */
uint64_t maps_find_free(const struct maps *maps, uint64_t near, uint64_t size,
			uint64_t reach);

#endif
