#include "runtime/events/classes.h"

#include "runtime/store/attributes.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"

enum { NAME_MAX_SIZE = 128 };

static struct {
	uint32_t count;
	struct {
		char loop[NAME_MAX_SIZE];
		uint32_t size; /* of the name */
		uint32_t modulus;
		uint32_t step; /* from one class to the next, among those of all rules */
	} rules[CLASSES_RULES];
	uint32_t classes; /* of all rules together */
} classes;

bool classes_are_told;

/* By rule: the class of the iteration that the thread is in, from 1 on; 0: it is in
 * none. */
static runtime_local uint32_t current[CLASSES_RULES];

static bool is_rule(uint32_t rule, const char *loop, size_t size)
{
	if (size != classes.rules[rule].size)
		return false;
	for (size_t i = 0; i < size; i++)
		if (loop[i] != classes.rules[rule].loop[i])
			return false;
	return true;
}

static const char *read_number(const char *text, uint32_t *ret_number)
{
	uint64_t number = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		if (number <= CLASSES_MAX)
			number = 10 * number + (uint64_t)(*text - '0');
	*ret_number = (uint32_t)number;
	return text;
}

static const char *add_rule(const char *text)
{
	const uint32_t rule = classes.count;
	uint32_t size = 0, modulus;

	for (; *text && *text != '%' && size < NAME_MAX_SIZE - 1; text++)
		classes.rules[rule].loop[size++] = *text;
	if (*text != '%')
		return text;
	text = read_number(text + 1, &modulus);
	if (!modulus || (modulus + 1) * (uint64_t)classes.classes > CLASSES_MAX)
		return text;
	classes.rules[rule].size = size;
	classes.rules[rule].modulus = modulus;
	classes.rules[rule].step = classes.classes;
	classes.classes *= modulus + 1;
	classes.count++;
	return text;
}

void classes_begin(const char *rules)
{
	classes.classes = 1;
	while (*rules && classes.count < CLASSES_RULES) {
		rules = add_rule(rules);
		while (*rules && *rules++ != ',')
			;
	}
	classes_are_told = classes.count;
}

uint32_t classes_count(void)
{
	return classes.count ? classes.classes : 0;
}

uint32_t classes_now(void)
{
	uint32_t class = 0;

	for (uint32_t i = 0; i < classes.count; i++)
		class += current[i] * classes.rules[i].step;
	return class;
}

static void set_class(const char *loop, size_t size, int64_t iteration, bool set)
{
	for (uint32_t i = 0; i < classes.count; i++) {
		const int64_t modulus = classes.rules[i].modulus;

		if (is_rule(i, loop, size))
			current[i] =
				set ? 1 + (uint32_t)((iteration % modulus + modulus) %
						     modulus)
				    : 0;
	}
}

void classes_begin_iteration(const char *loop, int64_t iteration)
{
	size_t size = 0;

	if (!classes.count)
		return;
	while (loop[size])
		size++;
	set_class(loop, size, iteration, true);
}

void classes_take_value(uint32_t attribute, int64_t iteration, bool set)
{
	enum { PREFIX = sizeof("iteration#") - 1 };
	const struct context_attribute *known =
		classes.count ? attributes_get(attribute) : NULL;
	const struct context_string *name;

	if (!known || !attributes_is_iteration(attribute))
		return;
	name = strings_at(known->name);
	set_class(name->bytes + PREFIX, name->size - PREFIX, iteration, set);
}

uint32_t classes_rule_of(const struct context_node *node)
{
	const struct context_string *name;

	if (!classes.count || !attributes_is_loop(node->attribute))
		return CLASSES_RULES;
	name = strings_at(node->value);
	for (uint32_t i = 0; i < classes.count; i++)
		if (is_rule(i, name->bytes, name->size))
			return i;
	return CLASSES_RULES;
}

bool classes_are(uint32_t rule, uint32_t *ret_modulus, uint32_t *ret_class)
{
	*ret_modulus = classes.rules[rule].modulus;
	*ret_class = current[rule] - 1;
	return current[rule];
}
