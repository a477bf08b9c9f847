#include "session/state/inline_cache.h"

#include "code/relocate/inline_cache.h"
#include "wire/graph.h"

/* What no call leads to: while a cache changes, in case the tracer is killed meanwhile.
 */
#define NOWHERE UINT64_MAX

struct wire_arcs *inline_cache_table(const struct bank *bank)
{
	return (void *)((char *)bank->shared + WIRE_ARCS_USED);
}

uint64_t *inline_cache_at(const struct bank *bank, const struct module *module,
			  uint32_t slot)
{
	uint64_t *slots = (void *)((char *)bank->shared + WIRE_BANK_HEADER);

	return &slots[(uint64_t)module->first_slot + slot];
}

void inline_cache_put(const struct bank *bank, uint64_t *cache,
		      const struct inline_callee *callee, uint32_t entry)
{
	const uint32_t had = (uint32_t)cache[INLINE_ENTRY];
	struct wire_arc *entries = inline_cache_table(bank)->entries;

	__atomic_store_n(&cache[INLINE_TARGET], NOWHERE, __ATOMIC_SEQ_CST);
	if (had && had <= WIRE_ARCS_MAX) {
		entries[had - 1].count += cache[INLINE_COUNT];
		entries[had - 1].seen += (uint32_t)cache[INLINE_COUNT];
	}
	cache[INLINE_COUNT] = 0;
	cache[INLINE_ENTRY] = entry;
	cache[INLINE_BODY] = callee->body;
	__atomic_store_n(&cache[INLINE_TARGET], callee->entry, __ATOMIC_SEQ_CST);
}

static void empty_caches(const struct bank *bank, const struct module *module)
{
	static const struct inline_callee none;
	const struct plan *plan = module->file->plan;

	for (uint32_t i = 0; i < plan->inline_count; i++) {
		uint64_t *cache = inline_cache_at(bank, module,
						  plan->inline_slot + i * INLINE_WORDS);

		if (cache[INLINE_TARGET])
			inline_cache_put(bank, cache, &none, 0);
	}
}

void inline_cache_forget_module(const struct session *session, const struct space *space,
				const struct module *module)
{
	if (!module->caches_calls)
		return;
	vector_for_each (&session->all_processes, process) {
		if ((*process)->space != space)
			continue;
		vector_for_each (&space->family->arena->banks, bank)
			if ((*bank)->owner == (*process)->pid)
				empty_caches(*bank, module);
	}
}
