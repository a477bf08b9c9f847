/*
 * The model of cycles: which instructions of a block begin a new one, on a processor that
 * issues in order. docs/halt.md describes it, with its table of latencies.
 */
#ifndef TRAMMEL_TOOL_CYCLES_H
#define TRAMMEL_TOOL_CYCLES_H

#include <trammel/tool_code.h>

/* Instructions that are issued in a cycle, and loads and stores among them. */
enum { CYCLES_WIDTH = 4, CYCLES_LOADS = 2, CYCLES_STORES = 1 };

/* Cycles from the issue of an instruction until others can use what it computes, without
 * those of a load; and of one. */
extern const uint8_t cycles_latencies[TRAMMEL_CLASSES];
enum { CYCLES_LOAD = 4 };

/* Writes the cycle in which each instruction of a block is issued, counted from 0, to
 * `ret_cycles` (block->instruction_count of them). All registers are ready at its start.
 */
void cycles_schedule(const struct trammel_block *block, uint32_t *ret_cycles);

#endif
