/*
 * The bank and the resident's code of tests that run a sample through gates that tell
 * callers apart. BANK_SLOTS and the label sample_begin are the test's.
 */
#ifndef TRAMMEL_TESTS_GATE_BANK_H
#define TRAMMEL_TESTS_GATE_BANK_H
#include "resident/resident.h"
#include "whole_area.h"
#include "wire/bank.h"
#include "wire/graph.h"
#include "wire/layout.h"

#include <asm/prctl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

extern const uint8_t sample_begin[];

static struct {
	struct wire_bank header;
	uint8_t pad[WIRE_ARCS_USED - sizeof(struct wire_bank)];
	struct wire_arcs arcs;
	uint64_t slots[BANK_SLOTS];
} bank;
static const uint32_t first_slot = WIRE_ARCS_USED + sizeof(struct wire_arcs);

/* Where the sample's label is run. */
static inline uint64_t at(const uint8_t *label)
{
	return WHOLE_ADDRESS + (uint64_t)(label - sample_begin);
}

static inline uint64_t resident_arc(void)
{
	uint8_t *code = mmap(NULL, WIRE_RESIDENT_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(code, MAP_FAILED);
	memcpy(code, resident_image, resident_image_size);
	return (uint64_t)(code +
			  ((const struct resident_table *)(const void *)code)->arc);
}

/* The bank is the thread's, and empty. */
static inline void begin_bank(const struct plan *plan)
{
	assert_true(plan->slot_count <= BANK_SLOTS);
	bank.header.arc = resident_arc();
	memset(&bank.arcs, 0, sizeof(bank.arcs));
	memset(bank.slots, 0, sizeof(bank.slots));
	assert_int_equal(syscall(SYS_arch_prctl, ARCH_SET_GS, &bank), 0);
}

#endif
