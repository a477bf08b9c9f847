/* The program that loads others: ld.so. */
#ifndef TRAMMEL_SESSION_CACHE_LOADER_H
#define TRAMMEL_SESSION_CACHE_LOADER_H

#include "image/image.h"

#include <stdint.h>

/*
 * Returns the address of the function that ld.so calls when it has mapped the modules a
 * program starts with, before it relocates, initialises or calls any of them; 0: the
 * image is no such loader. It is the C library's __tls_init_tp (glibc since 2.34,
 * sysdeps/nptl/dl_tls_init_tp.c), which has no name in a stripped loader: it is
 * recognized by set_tid_address(2), which only it calls.
 */
uint64_t loader_done_address(const struct image *image);

#endif
