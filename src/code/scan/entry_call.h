/*
 * The call with which a function begins, in which an entry without room for a jump is
 * counted: a direct call is retargeted by its displacement, a call through a word (call
 * *word(%rip), as of __fentry__) by the displacement of another word.
 */
#ifndef TRAMMEL_CODE_SCAN_ENTRY_CALL_H
#define TRAMMEL_CODE_SCAN_ENTRY_CALL_H

#include "code/emit/emit.h"

struct entry_call {
	uint64_t call;   /* link-time address of the call */
	uint64_t target; /* its target, or the address of the word that holds it */
	bool word;
};

/* Reads the call that ends `end` bytes behind `bytes`, which lie at `address`. */
struct entry_call entry_call_read(const uint8_t *bytes, uint64_t address, uint32_t end);

/* Whether an instruction is a call through a word without prefixes. */
bool entry_call_is_word(const uint8_t *bytes, size_t size);

/* Writes a jump to the target of the call. */
void entry_call_jump(struct emitter *emitter, const struct entry_call *call);

/* Writes a word for a call to go through; `value` is a link-time address. */
void entry_call_word(struct emitter *emitter, uint64_t value);

#endif
