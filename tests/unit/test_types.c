/* Types of data, and where variables are: those of typed.c, which has debug
 * information. */
#include "base/text.h"
#include "image/find.h"
#include "image/open.h"
#include "image/types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct typed_request;
struct typed_request *typed_self(void);
long typed_take(void);
void typed_return(void);

/* Functions that must not be left out of the program. */
static void *volatile kept[3];
static struct image *image;
static struct image_types types;

static uint64_t address_of(const char *name)
{
	uint64_t address;

	assert_true(image_find_function(image, name, &address));
	return address;
}

static int open_types(void **state)
{
	static const char *const names[] = {"typed_request", "typed_global",
					    "typed_colour", NULL};

	(void)state;
	kept[0] = (void *)typed_take;
	kept[1] = (void *)typed_return;
	kept[2] = (void *)typed_self;
	assert_null(image_open("/proc/self/exe", NULL, &image));
	const uint64_t functions[] = {address_of("typed_take"),
				      address_of("typed_return"),
				      address_of("typed_self")};
	const struct image_types_wanted wanted = {functions, 3, names, 3, true};

	assert_null(image_types_init(&types, image, &wanted));
	return 0;
}

static int close_types(void **state)
{
	(void)state;
	image_types_deinit(&types);
	image_close(image);
	return 0;
}

static const struct image_signature *signature_of(const char *name)
{
	const struct image_signature *found =
		image_types_function(&types, address_of(name));

	assert_non_null(found);
	return found;
}

static const struct image_variable *variable_of(const char *function, const char *name)
{
	const struct image_variable *found = image_types_variable(
		&types, signature_of(function), name, address_of(function));

	assert_non_null(found);
	return found;
}

static struct image_member member_of(uint32_t type, const char *name)
{
	struct image_member member;

	assert_true(image_types_member(&types, type, name, &member));
	return member;
}

static const struct image_data_type *type_at(uint32_t type)
{
	assert_int_not_equal(type, IMAGE_TYPE_NONE);
	return &types.items.items[type];
}

static void test_members(void **state)
{
	const struct image_variable *request = variable_of("typed_take", "request");
	const struct image_data_type *pointer = type_at(request->type);
	struct image_member member;

	(void)state;
	assert_int_equal(pointer->kind, IMAGE_DATA_POINTER);
	uint32_t type = pointer->target;

	assert_int_equal(type_at(type)->kind, IMAGE_DATA_STRUCT);
	assert_int_equal(member_of(type, "id").offset, 0);
	member = member_of(type, "id");
	assert_int_equal(type_at(member.type)->size, 8);
	assert_false(type_at(member.type)->is_signed);
	member = member_of(type, "next");
	assert_int_equal(member.offset, 16);
	assert_int_equal(type_at(member.type)->target, type);
	member = member_of(type, "small");
	assert_int_equal(member.offset * 8 + member.bit_offset, 24 * 8);
	assert_int_equal(member.bit_size, 3);
	member = member_of(type, "large");
	assert_int_equal(member.offset * 8 + member.bit_offset, 24 * 8 + 3);
	assert_int_equal(member.bit_size, 21);
	member = member_of(type, "ratio");
	assert_int_equal(member.offset, 28);
	assert_int_equal(type_at(member.type)->kind, IMAGE_DATA_FLOAT);
	member = member_of(type, "colour");
	assert_true(type_at(member.type)->is_signed);
	assert_int_equal(type_at(member.type)->size, 4);
	member = member_of(type, "signed_byte");
	assert_true(type_at(member.type)->is_signed);
	assert_false(image_types_member(&types, type, "letter", &member));
	member = member_of(type, "inner");
	assert_int_equal(member_of(member.type, "words").offset, 2);
	assert_int_equal(type_at(member_of(member.type, "words").type)->size, 6);
}

static void check_words(const char *function, const char *name, int first, int second)
{
	const struct image_variable *variable = variable_of(function, name);

	assert_true(variable->parameter);
	assert_int_equal(variable->words[0], first);
	assert_int_equal(variable->words[1], second);
}

static void test_passing(void **state)
{
	(void)state;
	check_words("typed_take", "request", 0, -1);
	check_words("typed_take", "byte", 1, -1);
	check_words("typed_take", "ratio", -1, -1);
	check_words("typed_take", "pair", 2, 3);
	check_words("typed_take", "mixed", -1, 4);
	/* The first argument is where the result goes. */
	check_words("typed_return", "first", 1, -1);
	check_words("typed_return", "large", 6, 7);
	check_words("typed_return", "d", 5, -1);
	check_words("typed_return", "e", 10, -1);
}

static void test_names(void **state)
{
	struct text text = {0};
	uint32_t type = image_types_named(&types, "typed_request");
	const struct image_variable *global =
		image_types_variable(&types, NULL, "typed_global", 0);

	(void)state;
	assert_int_equal(type_at(type)->kind, IMAGE_DATA_STRUCT);
	assert_int_equal(image_types_named(&types, "typed_nothing"), IMAGE_TYPE_NONE);
	assert_non_null(global);
	assert_non_null(image_types_location(&types, global, 0));
	assert_int_equal(image_types_location(&types, global, 0)->kind, IMAGE_AT_ADDRESS);
	image_types_describe(&types, signature_of("typed_self")->result, &text);
	assert_string_equal(text.data, "struct typed_request*");
	text_deinit(&text);
}

/* Wherever a variable is said to be at a function's first instruction, it is there. */
static void test_locations(void **state)
{
	static const uint8_t registers[] = {7, 6, 2, 1, 8, 9};
	const struct image_variable *request = variable_of("typed_take", "request");
	const struct image_location *location =
		image_types_location(&types, request, address_of("typed_take"));

	(void)state;
	assert_non_null(location);
	if (location->kind == IMAGE_IN_REGISTER)
		assert_int_equal(location->number, registers[0]);
	else
		assert_in_range(location->kind, IMAGE_IN_MEMORY, IMAGE_IN_FRAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_passing),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_locations),
	};

	return cmocka_run_group_tests(tests, open_types, close_types);
}
