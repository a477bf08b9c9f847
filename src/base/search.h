/*
 * Binary search in sorted data.
 */
#ifndef TRAMMEL_BASE_SEARCH_H
#define TRAMMEL_BASE_SEARCH_H

#include <stddef.h>

/*
 * The first index below `total` at which `before`, an expression in `index`, is false;
 * `total` if it is true for all. `before` must not become true again behind that index.
 */
#define search_first(total, index, before)                                               \
	({                                                                               \
		size_t low_ = 0, high_ = (total);                                        \
		while (low_ < high_) {                                                   \
			size_t index = low_ + (high_ - low_) / 2;                        \
			if (before)                                                      \
				low_ = index + 1;                                        \
			else                                                             \
				high_ = index;                                           \
		}                                                                        \
		low_;                                                                    \
	})

#endif
