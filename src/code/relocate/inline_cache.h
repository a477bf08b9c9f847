/*
 * Inline caches of indirect calls in relocated code, where calls are counted by their
 * call sites. (Deutsch and Schiffman, Efficient implementation of the Smalltalk-80
 * system, POPL 1984.)
 *
 *     relocated code                        behind its blocks
 *     cmp %rax, %gs:target
 *     jne --------------------------------> call *%rax ---> entry, gate, instructions
 *     addq $1, %gs:count                    jmp, behind the other call
 *     call *%gs:body ---------------------> instructions
 *
 * A call whose target is that of its cache, in the thread's bank, counts there and leads
 * behind the gate; all others are made unchanged, and the gate records their call site.
 * The tracer fills caches when it has seen the targets of their call sites, while all
 * threads are stopped (session/adapt/inline_caches.h). An empty cache has target 0, and
 * leads there. A target in memory is compared in r11, which is saved below the red zone,
 * as in gates; procedure linkage tables may change it. Flags are dead in front of calls.
 *
 * A call at its original address that goes through the linkage table to another module
 * may be led to such a cache, too, which jumps on (plan.links, gates.h):
 *
 *     mov word(%rip), %r11
 *     cmp %r11, %gs:target
 *     jne stub of the linkage table
 *     addq $1, %gs:count
 *     jmp *%gs:body
 */
#ifndef TRAMMEL_CODE_RELOCATE_INLINE_CACHE_H
#define TRAMMEL_CODE_RELOCATE_INLINE_CACHE_H

#include "code/emit/emit.h"
#include "code/plan/position.h"

/* The words of a cache: four counters of the module. */
enum inline_cache_word {
	INLINE_TARGET, /* address that is called */
	INLINE_COUNT,  /* calls */
	INLINE_BODY,   /* address where the function continues behind its gate */
	INLINE_ENTRY,  /* 1 + number of the pair's entry in struct wire_arcs; the upper
			  half is the part of the count that the tracer has seen */
	INLINE_WORDS
};

/* The most bytes of a call with a cache, including the part behind the blocks. */
enum { INLINE_SIZE_MAX = 96 };

/* An indirect call. */
struct inline_call {
	const uint8_t *bytes;
	uint8_t length;
	uint8_t relative; /* see struct cfg_instruction */
	uint64_t target;
	bool linkage; /* through a procedure linkage table */
};

/* Writes a call with its cache. `ret_miss` is the offset of the displacement of the
 * branch to the unchanged call, to be filled in. False, with nothing written, if the form
 * of the call is unknown. */
bool inline_cache_emit(struct emitter *emitter, const struct inline_call *call,
		       uint32_t *ret_miss);

/* Writes a cache for calls through a stub of the linkage table, which jumps through
 * `word`: INLINE_LINK_SIZE bytes. */
enum { INLINE_LINK_SIZE = 40 };
void inline_cache_emit_link(struct emitter *emitter, uint64_t word, uint64_t stub);

/* Allocates the counters, behind all others, of the calls with caches that end at the
 * offsets `ends` of plan.code. */
void inline_cache_place(struct plan *plan, const struct emit_ends *ends);

/* Whether `size` bytes of code are a call with a cache. */
bool inline_cache_is_call(const uint8_t *code, size_t size);

/* The first counter of the cache of the call that returns to an offset of plan.code,
 * among the blocks or behind them. False if it has none. */
bool inline_cache_of(const struct plan *plan, uint32_t return_offset, uint32_t *ret_slot);

/* Whether a thread at an offset of plan.code has matched the target of a cache and now
 * uses its other words; writes the first counter of the cache. */
bool inline_cache_has_compared(const struct plan *plan, uint32_t code_offset,
			       uint32_t *ret_slot);

/* inline_cache_of_link: the first counter of the cache that inline_cache_emit_link wrote
 * at offset `code` of plan.code. inline_cache_has_compared_link: whether a thread at
 * `code_offset` has matched its target. */
uint32_t inline_cache_of_link(const struct plan *plan, uint32_t code);
bool inline_cache_has_compared_link(uint32_t code, uint32_t code_offset);

/* The position of a thread in such a cache: it has called the stub of the linkage table,
 * and will be counted at a gate. */
void inline_cache_locate_link(const struct plan *plan, uint32_t code,
			      uint32_t code_offset, uint64_t stub,
			      struct plan_position *place);

/* The position of a thread in a call with a cache, `size` bytes at `code`. */
void inline_cache_locate(const struct plan *plan, uint32_t code, uint32_t size,
			 uint32_t code_offset, struct plan_position *place);

#endif
