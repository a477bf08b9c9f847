#include "tool/prototypes.h"

#include "base/array.h"

#include <ctype.h>
#include <string.h>

/* What types of numbers are made of. */
static const char *const number_words[] = {
	"int",     "long",     "short",   "char",     "unsigned", "signed",    "bool",
	"_Bool",   "size_t",   "ssize_t", "int8_t",   "uint8_t",  "int16_t",   "uint16_t",
	"int32_t", "uint32_t", "int64_t", "uint64_t", "intptr_t", "uintptr_t",
};

struct parser {
	const char *at;
	char word[64];
};

static void skip_blanks(struct parser *parser)
{
	while (isspace((unsigned char)*parser->at))
		parser->at++;
}

/* The next word, of letters, digits and _; false if there is none. */
static bool next_word(struct parser *parser)
{
	size_t length = 0;

	skip_blanks(parser);
	while (isalnum((unsigned char)*parser->at) || *parser->at == '_') {
		if (length + 1 < sizeof(parser->word))
			parser->word[length++] = *parser->at;
		parser->at++;
	}
	parser->word[length] = '\0';
	return length > 0;
}

static bool is_number_word(const char *word)
{
	for (size_t i = 0; i < array_count(number_words); i++)
		if (!strcmp(number_words[i], word))
			return true;
	return false;
}

/* One parameter, with or without a name, up to a comma or parenthesis. */
static bool parse_parameter(struct parser *parser, uint8_t *ret_type)
{
	unsigned int words = 0, numbers = 0;
	bool pointer = false;

	while (next_word(parser)) {
		if (!strcmp(parser->word, "const") || !strcmp(parser->word, "volatile"))
			continue;
		words++;
		numbers += is_number_word(parser->word);
		skip_blanks(parser);
		for (; *parser->at == '*' || *parser->at == '['; skip_blanks(parser)) {
			pointer = true;
			parser->at += *parser->at == '[' ? strcspn(parser->at, "]") : 0;
			parser->at += *parser->at != '\0';
		}
	}
	*ret_type = pointer ? PROTOTYPE_POINTER : PROTOTYPE_NUMBER;
	return words && (pointer || (numbers && words - numbers <= 1));
}

static bool parse_parameters(struct parser *parser, struct prototype *prototype)
{
	skip_blanks(parser);
	if (!strncmp(parser->at, "void", 4) &&
	    parser->at[4 + strspn(parser->at + 4, " ")] == ')')
		parser->at += 4;
	for (skip_blanks(parser); *parser->at != ')'; skip_blanks(parser)) {
		if (prototype->count == PROTOTYPE_PARAMETERS_MAX ||
		    !parse_parameter(parser, &prototype->types[prototype->count++]))
			return false;
		skip_blanks(parser);
		if (*parser->at == ')')
			break;
		if (*parser->at++ != ',')
			return false;
	}
	parser->at++;
	skip_blanks(parser);
	parser->at += *parser->at == ';';
	skip_blanks(parser);
	return !*parser->at;
}

/* The name is the last word in front of the parenthesis: a type may stand before it. */
static bool parse_prototype(struct parser *parser, struct prototype *prototype)
{
	char name[sizeof(parser->word)] = "";

	while (next_word(parser))
		memcpy(name, parser->word, sizeof(name));
	if (!*name || isdigit((unsigned char)*name) || *parser->at != '(')
		return false;
	parser->at++;
	prototype->name = memory_copy_string(name);
	return parse_parameters(parser, prototype);
}

size_t prototypes_find(const struct prototypes *prototypes, const char *name)
{
	size_t i = 0;

	while (i < prototypes->count && strcmp(prototypes->items[i].name, name) != 0)
		i++;
	return i;
}

static bool are_equal(const struct prototype *a, const struct prototype *b)
{
	return a->count == b->count && !memcmp(a->types, b->types, sizeof(a->types));
}

struct trm_error *prototypes_add(struct prototypes *prototypes, const char *text)
{
	struct parser parser = {.at = text};
	struct prototype prototype = {0};
	struct trm_error *error = NULL;
	size_t found;

	if (!parse_prototype(&parser, &prototype)) {
		free(prototype.name);
		return trm_error_create(TRM_ERROR_USAGE,
					"prototype \"%s\": write \"name(long, int, const "
					"char *)\", with at most %d parameters",
					text, PROTOTYPE_PARAMETERS_MAX);
	}
	found = prototypes_find(prototypes, prototype.name);
	if (found == prototypes->count) {
		vector_push(prototypes, prototype);
		return NULL;
	}
	if (!are_equal(&prototypes->items[found], &prototype))
		error = trm_error_create(TRM_ERROR_USAGE,
					 "prototype \"%s\": another one was given before",
					 text);
	free(prototype.name);
	return error;
}

struct trm_error *prototypes_check(const struct prototype *prototype,
				   const struct trammel_argument *arguments, size_t count)
{
	if (count != prototype->count)
		return trm_error_create(TRM_ERROR_USAGE,
					"call of %s: it has %zu arguments, its prototype "
					"%u",
					prototype->name, count, prototype->count);
	for (size_t i = 0; i < count; i++) {
		bool pointer = arguments[i].kind == TRAMMEL_TEXT ||
			       arguments[i].kind == TRAMMEL_DATA ||
			       arguments[i].kind == TRAMMEL_VECTOR ||
			       arguments[i].kind == TRAMMEL_MODULE_PATH;

		if (pointer && prototype->types[i] != PROTOTYPE_POINTER)
			return trm_error_create(
				TRM_ERROR_USAGE,
				"call of %s: argument %zu is a pointer, its "
				"parameter a number",
				prototype->name, i + 1);
	}
	return NULL;
}

void prototypes_deinit(struct prototypes *prototypes)
{
	vector_for_each (prototypes, prototype)
		free(prototype->name);
	vector_deinit(prototypes);
}
