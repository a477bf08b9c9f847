/* Pages of memory, as x86-64 has them. */
#ifndef TRAMMEL_BASE_PAGE_H
#define TRAMMEL_BASE_PAGE_H

#include <stdint.h>

/* Bytes of a page. */
#define PAGE 4096u

/* The start of the page that an address is in. */
static inline uint64_t page_start(uint64_t address)
{
	return address & ~(uint64_t)(PAGE - 1);
}

/* A size or an address, rounded up to whole pages. */
static inline uint64_t page_round_up(uint64_t size)
{
	return page_start(size + PAGE - 1);
}

#endif
