/* What went wrong with the program's annotations, said once, at the end. */
#include "runtime/channel/fault_report.h"
#include "runtime/channel/log.h"
#include "runtime/store/attributes.h"
#include "runtime/store/spool.h"
#include "runtime/store/strings.h"

#include <stdio.h>

static void put_pair(char *text, size_t size, uint32_t attribute, uint64_t value)
{
	const struct context_attribute *known = attributes_get(attribute);
	const char *name = known ? strings_at(known->name)->bytes : "nothing";

	if (!known || !value)
		snprintf(text, size, "%s", name);
	else if (known->type == TRM_TYPE_STRING)
		snprintf(text, size, "%s=%s", name, strings_at(value)->bytes);
	else
		snprintf(text, size, "%s=%lld", name, (long long)value);
}

static void say_fault(const struct context_fault *fault)
{
	char ended[256], open[256];

	put_pair(ended, sizeof(ended), fault->attribute, fault->value);
	put_pair(open, sizeof(open), fault->open_attribute, fault->open_value);
	log_warn("end of %s while the innermost that is open is %s, %llu %s: %s", ended,
		 open, (unsigned long long)fault->count,
		 fault->count == 1 ? "time" : "times",
		 fault->repaired ? "what was open inside was ended, too" : "ignored");
}

void faults_say(void)
{
	const struct context_spool *spool = runtime_spool;
	const struct {
		uint64_t count;
		const char *why;
	} losses[] = {
		{spool->lost_in_handlers,
		 "a signal handler said them while its thread was recording"},
		{spool->lost_for_memory, "there was no memory for new contexts"},
		{spool->lost_for_type,
		 "a value that the type of its attribute cannot hold"},
		{spool->lost_for_name,
		 "the name of the attribute is empty or longer than 4,000 bytes"},
	};

	for (uint32_t i = 0; i < spool->fault_count; i++)
		say_fault(&spool->faults[i]);
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		if (losses[i].count)
			log_warn("%llu %s lost: %s", (unsigned long long)losses[i].count,
				 losses[i].count == 1 ? "event" : "events",
				 losses[i].why);
	if (spool->overflows)
		log_warn("sums of values that the program set are wrong: 64 bits did "
			 "not hold them, %llu %s",
			 (unsigned long long)spool->overflows,
			 spool->overflows == 1 ? "time" : "times");
}
