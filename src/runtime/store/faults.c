#include "runtime/store/faults.h"
#include "runtime/store/lock.h"
#include "runtime/store/spool.h"

static struct runtime_lock lock;

void faults_note(const struct context_fault *fault)
{
	struct context_spool *spool = runtime_spool;
	struct context_fault *known = spool->faults;

	runtime_lock(&lock);
	for (; known < spool->faults + spool->fault_count; known++)
		if (known->attribute == fault->attribute &&
		    known->value == fault->value &&
		    known->open_attribute == fault->open_attribute &&
		    known->open_value == fault->open_value)
			break;
	if (known < spool->faults + CONTEXT_FAULTS_MAX) {
		uint64_t count = known->count, repaired = known->repaired;

		*known = *fault;
		known->count = count + 1;
		known->repaired = repaired + fault->repaired;
		if (known == spool->faults + spool->fault_count)
			spool->fault_count++;
	}
	runtime_unlock(&lock);
}

void faults_resume(void)
{
	lock.taken = 0;
}
