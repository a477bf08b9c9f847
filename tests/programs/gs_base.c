// build: gcc -O2 -mfsgsbase
// refused: GS
/* Sets the GS base with an instruction: what trammel needs for itself. */
#include "lib/test.h"

#include <immintrin.h>
#include <stdint.h>

static uint64_t word = 77;

int main(void)
{
	uint64_t value;

	_writegsbase_u64((uint64_t)(uintptr_t)&word);
	__asm__ volatile("movq %%gs:0, %0" : "=r"(value));
	printf("%d\n", (int)value);
	return 0;
}
