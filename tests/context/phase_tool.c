/* A tool for phases.py: a counter of calls of `leaf`, and the sum of how many calls there
 * were before each, which it keeps in a word of the thread. */
#include <trammel/tool.h>

#include <string.h>

static struct trammel_counter *calls, *before;
static uint32_t word;

static int start(const struct trammel_api *t, int argc, const char *const *argv)
{
	(void)argc;
	(void)argv;
	calls = t->counter("calls");
	before = t->counter("before");
	word = t->words(2);
	return 0;
}

static void emit(const struct trammel_recipes *r, struct trammel_recipe *code,
		 const void *data)
{
	const int number = r->take(code), address = r->take(code);

	(void)data;
	/* Two words that say the same, written and read in different ways. */
	r->load_word(code, number, word);
	r->add(code, before, number);
	r->count_word(code, word, 1);
	r->word_address(code, address, word);
	r->load_own(code, number, address, 8);
	r->add(code, before, number);
	r->load_word(code, number, word);
	r->store_word(code, word + 1, number);
	r->give_back(code, address);
	r->give_back(code, number);
}

static void function(const struct trammel_api *t, const struct trammel_function *f)
{
	if (strcmp(f->name, "leaf") != 0)
		return;
	t->add_count(trammel_entry(f), calls, 1);
	t->add_code(trammel_entry(f), emit, NULL);
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD, "leaves", "calls of leaf", start, NULL,
		function,          NULL};
