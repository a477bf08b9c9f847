/* cali::TimedAsyncEvent: what its header calls. */
#include "cali/annotate.h"
#include "cali/own.h"
#include "caliper/AsyncEvent.h"

PUBLIC void trammel_cali_async_begin(const char *name)
{
	if (own_ready())
		own_host->async(name, NULL);
}

PUBLIC void trammel_cali_async_end(const char *name, uint64_t ns)
{
	if (own_ready())
		own_host->async(name, &ns);
}
