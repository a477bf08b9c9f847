#include "probe/frame.h"

bool probe_term_needs_frame(const struct probe_module *module, uint64_t function,
			    uint32_t term)
{
	const struct probe_term *at;

	if (term == PROBE_NO_TERM)
		return false;
	at = &module->program->terms.items[term];
	return at->kind == PROBE_ELAPSED || at->kind == PROBE_TRIPS ||
	       at->kind == PROBE_CALL_VARIABLE ||
	       probe_module_cell(module, function, at) >= 0 ||
	       probe_term_needs_frame(module, function, at->first) ||
	       probe_term_needs_frame(module, function, at->second);
}

bool probe_action_needs_frame(const struct probe_module *module, uint64_t function,
			      const struct probe_action *action)
{
	bool needs = action->kind == PROBE_SET_CALL ||
		     probe_term_needs_frame(module, function, action->condition);

	for (uint32_t i = 0; i < action->operand_count; i++)
		needs |= probe_term_needs_frame(module, function, action->operands[i]);
	for (uint32_t i = 0; i < action->key_count; i++)
		needs |= probe_term_needs_frame(module, function, action->keys[i]);
	return needs;
}

bool probe_keeps_frame(const struct probe_module *module, uint64_t function)
{
	vector_for_each (&module->matches, match) {
		const struct probe *probe = &module->program->probes.items[match->probe];

		if (match->function != function ||
		    probe->points.items[match->point].place != PROBE_RETURN)
			continue;
		if (probe_term_needs_frame(module, function, probe->condition))
			return true;
		vector_for_each (&probe->actions, action)
			if (probe_action_needs_frame(module, function, action))
				return true;
	}
	return false;
}
