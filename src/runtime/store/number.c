#include "runtime/store/number.h"
#include "runtime/store/spool.h"

void number_overflow(void)
{
	__atomic_add_fetch(&runtime_spool->overflows, 1, __ATOMIC_RELAXED);
}
