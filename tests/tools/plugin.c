/* A library that loads.c loads. */
volatile int plugin_number;

__attribute__((constructor, noinline)) void plugin_begin(void)
{
	plugin_number++;
}

__attribute__((noinline)) void plugin_work(void)
{
	plugin_number++;
}
