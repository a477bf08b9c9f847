/* Contexts as text, for services that tell of them while the program runs. */
#ifndef TRAMMEL_RUNTIME_SERVICE_PRINT_PATH_H
#define TRAMMEL_RUNTIME_SERVICE_PRINT_PATH_H

#include <stddef.h>
#include <stdint.h>

struct context_node;

/* The path, the outermost first, of one attribute's values (0: of all): as far as it
 * fits, from the inner end. Returns where it begins; it ends with the room. */
size_t print_path(char *text, size_t size, const struct context_node *node,
		  uint32_t attribute);

#endif
