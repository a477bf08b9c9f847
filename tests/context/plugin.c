/* A library that is loaded and unloaded again and again. */
#include <trammel/annotate.h>

void plugin_work(void);
void plugin_work(void)
{
	TRM_REGION("plugin");
	trm_begin("of plugin", "value");
	trm_end("of plugin");
}
