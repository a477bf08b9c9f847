/* Names as they are in the source. */
#ifndef TRAMMEL_IMAGE_DEMANGLE_H
#define TRAMMEL_IMAGE_DEMANGLE_H

/* Returns the demangled form (C++, Rust, D) of a linked name, or a copy of it: free() it.
 */
char *image_demangle(const char *name);

#endif
