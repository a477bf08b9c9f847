/* Kinds of files, told from their first bytes alone: cheap. */
#ifndef TRAMMEL_IMAGE_KIND_H
#define TRAMMEL_IMAGE_KIND_H

#include <stdbool.h>

/* Kinds of executable files, told from the first bytes alone: cheap. */
enum image_kind {
	IMAGE_KIND_NATIVE,  /* x86-64 ELF program */
	IMAGE_KIND_FOREIGN, /* ELF of another class or machine */
	IMAGE_KIND_SCRIPT,  /* starts with #! */
	IMAGE_KIND_OTHER,   /* anything else */
};

/* Returns the kind of an open file. */
enum image_kind image_probe(int fd);

/* Tells whether a NATIVE file runs without a dynamic loader, and so loads no
 * libraries. */
bool image_is_static(int fd);

#endif
