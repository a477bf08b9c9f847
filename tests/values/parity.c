/* A value profiler: how often results are odd, and by how much addresses differ. Built by
 * tests/run-values.py with no more than the public header. */
#include <trammel/values.h>

static uint32_t choose(const struct trammel_values_code *code)
{
	return code->length ? TRAMMEL_VALUES_RESULTS | TRAMMEL_VALUES_ADDRESSES : 0;
}

static void fold(const struct trammel_values_code *code,
		 const struct trammel_values_value *values, size_t count,
		 const struct trammel_values_out *out)
{
	(void)code;
	for (size_t i = 0; i < count; i++) {
		if (values[i].kind == TRAMMEL_VALUES_RESULT)
			out->add(out->context, "odd", values[i].value & 1);
		else if (values[i].has_last)
			out->add(out->context, "apart",
				 (int64_t)(values[i].value - values[i].last));
	}
}

TRAMMEL_VALUE_PROFILER = {TRAMMEL_VALUES_HEAD, "parity", choose, fold};
