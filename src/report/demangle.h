/* Names as they are in the source. */
#ifndef TRAMMEL_REPORT_DEMANGLE_H
#define TRAMMEL_REPORT_DEMANGLE_H

/* Returns the name of a linked symbol as programmers write it (C++, Rust, D), which the
 * caller frees; NULL if it has no such form. */
char *report_demangle(const char *name);

#endif
