#include "code/calls/gate_layout.h"

#include "code/calls/gate_forms.h"
#include "code/entry/trampoline.h"
#include "code/plan/plan_rows.h"

uint32_t gates_part_size(const struct plan *plan, unsigned part)
{
	const uint32_t sizes[GATES_PARTS] = {
		[GATES_SITE] = plan->sites ? GATES_SITE_SIZE : 0,
		[GATES_SPAN] = plan->spans ? GATES_SPAN_SIZE : 0,
		[GATES_GRAPH] = plan->graph ? GATES_GRAPH_SIZE : 0,
	};

	return sizes[part];
}

uint32_t gates_part_start(const struct plan *plan, unsigned part)
{
	uint32_t start = 0;

	for (unsigned i = 0; i < part; i++)
		start += gates_part_size(plan, i);
	return start;
}

uint32_t gates_size(const struct plan *plan)
{
	return gates_part_start(plan, GATES_PARTS);
}

bool gates_in_call(const struct plan *plan, const struct plan_function *function)
{
	return plan->gates_size && function->call_end && !plan_is_cold_part(function) &&
	       (!plan->counts_entries || plan->graph || plan->spans ||
		!function->map_row_count);
}

uint32_t gates_entrance(const struct plan *plan, const struct plan_function *function)
{
	if (!plan->gates_size || function->hook || plan_is_cold_part(function) ||
	    (function->call_end && !gates_in_call(plan, function)))
		return function->trampoline;
	return plan_index_of(plan, function) * gates_size(plan);
}

uint64_t gates_of_hooked(const struct plan *plan, const struct plan_function *function)
{
	if (!plan->gates_size || !function->hook || function->reason != PLAN_INSTRUMENTED)
		return 0;
	return plan->code_address + plan_index_of(plan, function) * gates_size(plan);
}

uint32_t gates_body(const struct plan *plan, const struct plan_function *function)
{
	/* The stub of the first block. */
	if (gates_in_call(plan, function) && function->map_row_count)
		return plan->stubs.items[function->first_stub].code;
	return function->trampoline +
	       (gates_of_hooked(plan, function) ? TRAMPOLINE_GATED_HOOK : 0);
}

bool gates_has_one(const struct plan *plan, const struct plan_function *function)
{
	return function->reason == PLAN_INSTRUMENTED && !plan_is_cold_part(function) &&
	       (!function->call_end || gates_in_call(plan, function)) &&
	       !(function->flags & IMAGE_FUNCTION_GO);
}

uint32_t gates_part_of(const struct plan *plan, const struct plan_function *function,
		       enum gates_part part)
{
	return plan_index_of(plan, function) * gates_size(plan) +
	       gates_part_start(plan, part);
}

uint64_t gates_behind_part(const struct plan *plan, const struct plan_function *function,
			   enum gates_part part)
{
	if (gates_has_one(plan, function) &&
	    gates_part_start(plan, part + 1u) < gates_size(plan))
		return plan->code_address + gates_part_of(plan, function, part + 1u);
	return plan->code_address + gates_body(plan, function);
}

bool gates_tell_graph(const struct plan *plan, const struct plan_function *function)
{
	return plan->graph && gates_has_one(plan, function);
}

bool gates_tell_span(const struct plan *plan, const struct plan_function *function)
{
	return plan->spans && gates_has_one(plan, function) &&
	       gate_form_at(plan->code.items + gates_part_of(plan, function, GATES_SPAN),
			    true) == GATE_SPAN;
}

uint64_t gates_counted(const struct plan *plan, const struct plan_function *function)
{
	/* The entry of such a function is as it was. */
	if (function->call_end)
		return function->address;
	return gates_behind_part(plan, function, GATES_SITE);
}

uint64_t gates_passed(const struct plan *plan, const struct plan_function *function)
{
	if (!plan->sites || !gates_has_one(plan, function) || function->call_end ||
	    function->hook ||
	    gate_form_at(plan->code.items + gates_part_of(plan, function, GATES_SITE),
			 true) != GATE_CELL)
		return 0;
	return gates_counted(plan, function);
}

uint32_t gates_stub_of_link(const struct plan *plan, const struct plan_link *link)
{
	return plan->link_code + (uint32_t)(link - plan->links.items) * GATES_LINK_SIZE;
}
