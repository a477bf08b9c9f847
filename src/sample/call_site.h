/* Code around addresses of a sampled process, as the file has it. */
#ifndef TRAMMEL_SAMPLE_CALL_SITE_H
#define TRAMMEL_SAMPLE_CALL_SITE_H

#include "sample/process.h"

/* Finds the bytes of the file that are mapped from `address` on in a process image.
 * Returns how many there are; 0: it is no code of a file. */
size_t sample_code_bytes(struct sample_processes *processes, uint32_t image,
			 uint64_t address, const uint8_t **ret_bytes);

/* Whether an address is behind a call in the code of a file. `ret_target`: where a direct
 * call leads, 0: another one; may be NULL. */
bool sample_is_after_call(struct sample_processes *processes, uint32_t image,
			  uint64_t address, uint64_t *ret_target);

#endif
