/* Any bytes as a file of the format pprof: see importing.h. */
#include "importing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	import_bytes("pprof", data, size);
	return 0;
}
