/* Any bytes as a file of the format perf-script: see importing.h. */
#include "importing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	import_bytes("perf-script", data, size);
	return 0;
}
