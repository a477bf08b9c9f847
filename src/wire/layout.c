/* Checks the numbers of layout.h against its structures; nothing else. */
#include "wire/layout.h"

#include "wire/bank.h"
#include "wire/control.h"
#include "wire/graph.h"
#include "wire/hooks.h"
#include "wire/paths.h"
#include "wire/registers.h"
#include "wire/spans.h"

#include <stddef.h>

#define CHECK(type, field, offset)                                                       \
	_Static_assert(offsetof(struct type, field) == (offset), #type "." #field)

CHECK(wire_bank, self, WIRE_BANK_SELF);
CHECK(wire_bank, entry, WIRE_BANK_ENTRY);
CHECK(wire_bank, back, WIRE_BANK_BACK);
CHECK(wire_bank, number, WIRE_BANK_NUMBER);
CHECK(wire_bank, quiet, WIRE_BANK_QUIET);
CHECK(wire_bank, control, WIRE_BANK_CONTROL);
CHECK(wire_bank, untimed, WIRE_BANK_UNTIMED);
CHECK(wire_bank, returns, WIRE_BANK_RETURNS);
CHECK(wire_bank, registers.rax, WIRE_BANK_RAX);
CHECK(wire_bank, registers.rsp, WIRE_BANK_RSP);
CHECK(wire_bank, registers.rdi, WIRE_BANK_RDI);
CHECK(wire_bank, registers.r8, WIRE_BANK_R8);
CHECK(wire_bank, registers.r15, WIRE_BANK_R15);
CHECK(wire_bank, registers.flags, WIRE_BANK_FLAGS);
CHECK(wire_bank, mask, WIRE_BANK_MASK);
CHECK(wire_bank, stack_end, WIRE_BANK_STACK_END);
CHECK(wire_bank, arc, WIRE_BANK_ARC);
CHECK(wire_bank, enter, WIRE_BANK_ENTER);
CHECK(wire_bank, leave, WIRE_BANK_LEAVE);
CHECK(wire_bank, tally, WIRE_BANK_TALLY);
CHECK(wire_bank, span_begin, WIRE_BANK_SPAN);
CHECK(wire_bank, span_end, WIRE_BANK_SPAN_END);
CHECK(wire_bank, tool, WIRE_BANK_TOOL);
CHECK(wire_bank, tool_unmask, WIRE_BANK_TOOL_UNMASK);
CHECK(wire_bank, tid, WIRE_BANK_TID);
CHECK(wire_bank, view, WIRE_BANK_VIEW);
CHECK(wire_bank, phase, WIRE_BANK_PHASE);
CHECK(wire_bank, generation, WIRE_BANK_GENERATION);
CHECK(wire_bank, last_view, WIRE_BANK_LAST_VIEW);
CHECK(wire_control, routines, WIRE_CONTROL_ROUTINES);
CHECK(wire_control, point_data, WIRE_CONTROL_POINT_DATA);
CHECK(wire_bank, rest.rip, WIRE_REST_RIP);
CHECK(wire_bank, rest.rbx, WIRE_REST_RBX);
CHECK(wire_bank, rest.rdi, WIRE_REST_RDI);
CHECK(wire_bank, rest.rsi, WIRE_REST_RSI);
CHECK(wire_bank, rest.rdx, WIRE_REST_RDX);
CHECK(wire_bank, rest.r10, WIRE_REST_R10);
CHECK(wire_bank, rest.r8, WIRE_REST_R8);
CHECK(wire_bank, rest.r9, WIRE_REST_R9);
CHECK(wire_paths, find, WIRE_PATHS_FIND - WIRE_PATHS_PUT_BY);
CHECK(wire_paths, lost, WIRE_PATHS_LOST - WIRE_PATHS_PUT_BY);
CHECK(wire_paths, used, WIRE_PATHS_USED - WIRE_PATHS_PUT_BY);
CHECK(wire_paths, frames, WIRE_PATHS_FRAMES - WIRE_PATHS_PUT_BY);
CHECK(wire_paths, ends, WIRE_PATHS_ENDS - WIRE_PATHS_PUT_BY);
CHECK(wire_graph, top, WIRE_GRAPH_TOP - WIRE_GRAPH_BASE);
CHECK(wire_graph, last, WIRE_GRAPH_LAST - WIRE_GRAPH_BASE);
CHECK(wire_graph, used, WIRE_GRAPH_USED - WIRE_GRAPH_BASE);
CHECK(wire_graph, at, WIRE_GRAPH_AT - WIRE_GRAPH_BASE);
CHECK(wire_graph, index, WIRE_GRAPH_INDEX - WIRE_GRAPH_BASE);
CHECK(wire_graph, frames, WIRE_GRAPH_FRAMES - WIRE_GRAPH_BASE);
CHECK(wire_graph, nodes, WIRE_GRAPH_NODES - WIRE_GRAPH_BASE);
CHECK(wire_graph, leaves_used, WIRE_GRAPH_LEAVES - WIRE_GRAPH_BASE);
CHECK(wire_graph, leaves, WIRE_GRAPH_NODES + WIRE_GRAPH_LEAF_AT - WIRE_GRAPH_BASE);
CHECK(wire_graph, stack, WIRE_GRAPH_STACK - WIRE_GRAPH_BASE);
CHECK(wire_graph, next, WIRE_GRAPH_NEXT - WIRE_GRAPH_BASE);
CHECK(wire_graph, random, WIRE_GRAPH_RANDOM - WIRE_GRAPH_BASE);
CHECK(wire_graph, stacks, WIRE_GRAPH_STACKS - WIRE_GRAPH_BASE);
CHECK(wire_graph_node, calls, 8);
CHECK(wire_graph_node, ticks, 16);
CHECK(wire_graph_node, timed, 24);
CHECK(wire_graph_node, left, WIRE_GRAPH_LEFT_AT);
CHECK(wire_graph_node, children, WIRE_GRAPH_CHILDREN_AT);
CHECK(wire_graph_frame, node, 8);
CHECK(wire_arcs, index, WIRE_ARCS_INDEX - WIRE_ARCS_USED);
CHECK(wire_arcs, entries, WIRE_ARCS_ENTRIES - WIRE_ARCS_USED);
CHECK(wire_arc, gate, 8);
CHECK(wire_arc, count, 16);
CHECK(wire_control, doorbell, 0x30);
CHECK(wire_control, ran, WIRE_CONTROL_RAN);
CHECK(wire_control, unfiltered, WIRE_CONTROL_UNFILTERED);
CHECK(wire_control, inject_back, 0x40);
CHECK(wire_control, window, WIRE_CONTROL_WINDOW);
CHECK(wire_control, span_begin, WIRE_CONTROL_SPANS);
CHECK(wire_control, batch, WIRE_CONTROL_BATCH);
CHECK(wire_spans, masked, WIRE_SPANS_MASKED - WIRE_BANK_HEADER);
CHECK(wire_spans, direct, WIRE_SPANS_DIRECT - WIRE_BANK_HEADER);
CHECK(wire_spans, routines, WIRE_SPANS_ROUTINES - WIRE_BANK_HEADER);
CHECK(wire_spans, barred, WIRE_SPANS_BARRED - WIRE_BANK_HEADER);
CHECK(wire_spans, state, WIRE_SPANS_STATE - WIRE_BANK_HEADER);
CHECK(wire_spans, rbx, WIRE_SPANS_RBX - WIRE_BANK_HEADER);
CHECK(wire_spans, rsp, WIRE_SPANS_RSP - WIRE_BANK_HEADER);
CHECK(wire_spans, mask, WIRE_SPANS_MASK - WIRE_BANK_HEADER);
CHECK(wire_spans, buffers, WIRE_SPANS_BUFFERS - WIRE_BANK_HEADER);
CHECK(wire_spans, replace, WIRE_SPANS_REPLACE - WIRE_BANK_HEADER);
CHECK(wire_spans, result, WIRE_SPANS_RESULT - WIRE_BANK_HEADER);
CHECK(wire_spans, done, WIRE_SPANS_DONE - WIRE_BANK_HEADER);
CHECK(wire_spans, copies, WIRE_SPANS_COPIES - WIRE_BANK_HEADER);
_Static_assert(sizeof(struct wire_buffer) == WIRE_BUFFER_SIZE, "wire_buffer");
CHECK(wire_spans, vectors, WIRE_SPANS_VECTORS - WIRE_BANK_HEADER);
CHECK(wire_spans, thread_pointer, WIRE_SPANS_THREAD - WIRE_BANK_HEADER);
CHECK(wire_spans, fs, WIRE_SPANS_FS - WIRE_BANK_HEADER);
CHECK(wire_control, text_count, WIRE_CONTROL_TEXTS);
CHECK(wire_control, texts, WIRE_CONTROL_TEXTS + 8);
CHECK(wire_control, stretches, WIRE_STRETCH_WORDS - WIRE_CONTROL_OFFSET);
_Static_assert(WIRE_STRETCH_CODE + WIRE_STRETCHES * WIRE_STRETCH_SIZE ==
		       WIRE_RESIDENT_SIZE,
	       "the copies are all that follows the resident");
CHECK(wire_text, end, 8);
CHECK(wire_control, undos, WIRE_CONTROL_TEXTS + 0x4000);
_Static_assert(sizeof(struct wire_spans) == WIRE_SPANS_STACK_TOP - WIRE_BANK_HEADER,
	       "it ends with the stack");
_Static_assert(sizeof(struct wire_lead) == 64, "no padding");
_Static_assert(sizeof(struct wire_text) == WIRE_TEXT_SIZE,
	       "rows as resident.S sees them");
_Static_assert(sizeof(struct wire_control) == WIRE_BANKS_OFFSET - WIRE_CONTROL_OFFSET,
	       "the banks follow wire_control");
_Static_assert(sizeof(struct wire_bank) + 0xf00 <= WIRE_BANK_HEADER,
	       "the resident's stack needs the rest");
_Static_assert(WIRE_ARCS_USED == WIRE_SPANS_STACK_TOP, "the table lies behind the stack");
_Static_assert(sizeof(struct wire_arcs) <= WIRE_GRAPH_BASE - WIRE_ARCS_USED &&
		       WIRE_GRAPH_BASE % 0x1000 == 0,
	       "the tree lies behind the table");
_Static_assert(sizeof(struct wire_arc) == 24, "entries as resident.S sees them");
_Static_assert(sizeof(struct wire_graph_node) == WIRE_GRAPH_NODE,
	       "nodes as resident.S sees them");
_Static_assert(sizeof(struct wire_graph_leaf) == WIRE_GRAPH_LEAF_NODE,
	       "leaves as resident.S sees them");
_Static_assert(sizeof(struct wire_graph_frame) == 16, "frames as resident.S sees them");
_Static_assert(sizeof(struct wire_graph_stack) == 1 << WIRE_GRAPH_STACK_SHIFT,
	       "stacks as resident.S sees them");
_Static_assert(WIRE_GRAPH_BEYOND == WIRE_GRAPH_MAX + WIRE_GRAPH_NODE,
	       "it follows all others");
_Static_assert(sizeof(struct wire_registers) == WIRE_HOOK_REGISTERS, "the hook's frame");
