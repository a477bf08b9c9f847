/* Sets the GS base with an instruction and uses it. */
#include "test.h"

#include <immintrin.h>
#include <stdint.h>

static uint64_t word = 78;

int main(void)
{
	uint64_t value;

	_writegsbase_u64((uint64_t)(uintptr_t)&word);
	__asm__ volatile("movq %%gs:0, %0" : "=r"(value));
	printf("child %d\n", (int)value);
	return (int)value;
}
