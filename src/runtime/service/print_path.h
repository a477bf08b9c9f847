/* Contexts as text, for services that print them while the program runs. */
#ifndef TRAMMEL_RUNTIME_SERVICE_PRINT_PATH_H
#define TRAMMEL_RUNTIME_SERVICE_PRINT_PATH_H

#include <stddef.h>
#include <stdint.h>

struct context_node;

/* Writes the values of one attribute (0: of all) on the path to `node`, the outermost
 * first. If they do not fit `size` bytes, the outer ones are left out. Returns where the
 * text begins in `text`; it ends with the buffer. */
size_t print_path(char *text, size_t size, const struct context_node *node,
		  uint32_t attribute);

#endif
