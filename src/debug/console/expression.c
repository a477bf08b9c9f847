#include "debug/console/expression.h"

#include "base/array.h"
#include "debug/console/names.h"
#include "session/debug/access.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64, NAME_MAX_SIZE = 256 };

struct reader {
	struct console *console;
	pid_t pid;
	struct user_regs_struct registers;
	const char *at;
	int depth;
	bool checks;             /* nothing is computed */
	struct trm_error *error; /* NULL: none so far */
};

static int64_t read_binary(struct reader *reader, int level);

static int64_t fail_at(struct reader *reader, const char *what)
{
	if (!reader->error)
		reader->error = trm_error_create(TRM_ERROR_USAGE, "%s at '%.40s'", what,
						 reader->at);
	return 0;
}

static void skip_spaces(struct reader *reader)
{
	while (*reader->at == ' ' || *reader->at == '\t')
		reader->at++;
}

static const struct {
	const char *name;
	size_t offset;
} registers[] = {
#define REGISTER(name)                                                                   \
	{                                                                                \
#name, offsetof(struct user_regs_struct, name)                           \
	}
	REGISTER(rax),
	REGISTER(rbx),
	REGISTER(rcx),
	REGISTER(rdx),
	REGISTER(rsi),
	REGISTER(rdi),
	REGISTER(rbp),
	REGISTER(rsp),
	REGISTER(r8),
	REGISTER(r9),
	REGISTER(r10),
	REGISTER(r11),
	REGISTER(r12),
	REGISTER(r13),
	REGISTER(r14),
	REGISTER(r15),
	REGISTER(rip),
	REGISTER(eflags),
	REGISTER(orig_rax),
	REGISTER(fs_base),
	{"pc", offsetof(struct user_regs_struct, rip)},
	{"sp", offsetof(struct user_regs_struct, rsp)},
	{"fp", offsetof(struct user_regs_struct, rbp)},
	{"arg0", offsetof(struct user_regs_struct, rdi)},
	{"arg1", offsetof(struct user_regs_struct, rsi)},
	{"arg2", offsetof(struct user_regs_struct, rdx)},
	{"arg3", offsetof(struct user_regs_struct, rcx)},
	{"arg4", offsetof(struct user_regs_struct, r8)},
	{"arg5", offsetof(struct user_regs_struct, r9)},
};

unsigned long long *expression_register(struct user_regs_struct *values, const char *name,
					size_t length)
{
	for (size_t i = 0; i < array_count(registers); i++)
		if (strlen(registers[i].name) == length &&
		    !strncmp(registers[i].name, name, length))
			return (unsigned long long *)(void *)((char *)values +
							      registers[i].offset);
	return NULL;
}

static size_t name_length(const char *at)
{
	size_t length = 0;

	while (isalnum((unsigned char)at[length]) || at[length] == '_' ||
	       at[length] == '.' || (at[length] == ':' && at[length + 1] != '\0'))
		length++;
	return length;
}

/* `size` bytes of memory, with their sign or not. */
static int64_t read_memory(struct reader *reader, uint64_t address, size_t size,
			   bool is_signed)
{
	uint64_t value = 0;
	const unsigned int shift = (unsigned int)(64 - 8 * size);

	if (reader->error || reader->checks)
		return 0;
	reader->error =
		debug_read(reader->console->session, reader->pid, address, &value, size);
	if (is_signed)
		return (int64_t)(value << shift) >> shift;
	return (int64_t)value;
}

static bool read_sized(struct reader *reader, const char *name, size_t length,
		       int64_t *ret_value)
{
	static const char *const sizes[] = {"8", "16", "32", "64"};

	if (length < 2 || (*name != 'u' && *name != 'i') || name[length] != '(')
		return false;
	for (size_t i = 0; i < array_count(sizes); i++) {
		if (strlen(sizes[i]) != length - 1 ||
		    strncmp(sizes[i], name + 1, length - 1))
			continue;
		reader->at = name + length + 1;
		const int64_t address = read_binary(reader, 0);

		skip_spaces(reader);
		if (*reader->at == ')')
			reader->at++;
		else
			fail_at(reader, "a ) is missing");
		*ret_value = read_memory(reader, (uint64_t)address, (size_t)1 << i,
					 *name == 'i');
		return true;
	}
	return false;
}

static int64_t read_name(struct reader *reader)
{
	const char *name = reader->at;
	const bool marked = *name == '$';
	const size_t length = name_length(name += marked);
	char copy[NAME_MAX_SIZE];
	uint64_t address = 0;
	int64_t value;

	if (!length || length >= sizeof(copy))
		return fail_at(reader, "a value is missing");
	if (!marked && read_sized(reader, name, length, &value))
		return value;
	const unsigned long long *found =
		marked || !strncmp(name, "arg", 3)
			? expression_register(&reader->registers, name, length)
			: NULL;

	if (!found && marked)
		return fail_at(reader, "there is no such register");
	reader->at = name + length;
	if (found)
		return (int64_t)*found;
	snprintf(copy, sizeof(copy), "%.*s", (int)length, name);
	if (!reader->error && !reader->checks)
		reader->error = names_find(reader->console, copy, &address);
	return (int64_t)address;
}

static int64_t read_number(struct reader *reader)
{
	char *end;
	const uint64_t value = strtoull(reader->at, &end, 0);

	if (end == reader->at)
		return fail_at(reader, "a number is wrong");
	reader->at = end;
	return (int64_t)value;
}

static int64_t read_unary(struct reader *reader)
{
	int64_t value;

	skip_spaces(reader);
	if (++reader->depth > DEPTH_MAX || reader->error)
		return fail_at(reader, "too deep");
	switch (*reader->at) {
	case '-':
		reader->at++;
		value = (int64_t)(0 - (uint64_t)read_unary(reader));
		break;
	case '~':
		reader->at++;
		value = ~read_unary(reader);
		break;
	case '!':
		reader->at++;
		value = !read_unary(reader);
		break;
	case '*':
		reader->at++;
		value = read_memory(reader, (uint64_t)read_unary(reader), 8, false);
		break;
	case '(':
		reader->at++;
		value = read_binary(reader, 0);
		skip_spaces(reader);
		if (*reader->at == ')')
			reader->at++;
		else
			fail_at(reader, "a ) is missing");
		break;
	default:
		value = isdigit((unsigned char)*reader->at) ? read_number(reader)
							    : read_name(reader);
	}
	reader->depth--;
	return value;
}

enum operator{
	OPERATOR_OR,
	OPERATOR_AND,
	OPERATOR_BIT_OR,
	OPERATOR_BIT_XOR,
	OPERATOR_BIT_AND,
	OPERATOR_EQUAL,
	OPERATOR_UNEQUAL,
	OPERATOR_LESS_EQUAL,
	OPERATOR_MORE_EQUAL,
	OPERATOR_LEFT,
	OPERATOR_RIGHT,
	OPERATOR_LESS,
	OPERATOR_MORE,
	OPERATOR_PLUS,
	OPERATOR_MINUS,
	OPERATOR_TIMES,
	OPERATOR_BY,
	OPERATOR_REST,
};

/* Longer ones first. */
static const struct {
	const char *text;
	int level;
	enum operator number;
} operators[] = {
	{"||", 0, OPERATOR_OR},         {"&&", 1, OPERATOR_AND},
	{"==", 5, OPERATOR_EQUAL},      {"!=", 5, OPERATOR_UNEQUAL},
	{"<=", 6, OPERATOR_LESS_EQUAL}, {">=", 6, OPERATOR_MORE_EQUAL},
	{"<<", 7, OPERATOR_LEFT},       {">>", 7, OPERATOR_RIGHT},
	{"|", 2, OPERATOR_BIT_OR},      {"^", 3, OPERATOR_BIT_XOR},
	{"&", 4, OPERATOR_BIT_AND},     {"<", 6, OPERATOR_LESS},
	{">", 6, OPERATOR_MORE},        {"+", 8, OPERATOR_PLUS},
	{"-", 8, OPERATOR_MINUS},       {"*", 9, OPERATOR_TIMES},
	{"/", 9, OPERATOR_BY},          {"%", 9, OPERATOR_REST},
};

static int64_t compare_values(enum operator number, int64_t a, int64_t b)
{
	const bool results[] = {
		[OPERATOR_OR] = a || b,
		[OPERATOR_AND] = a && b,
		[OPERATOR_EQUAL] = a == b,
		[OPERATOR_UNEQUAL] = a != b,
		[OPERATOR_LESS_EQUAL] = a <= b,
		[OPERATOR_MORE_EQUAL] = a >= b,
		[OPERATOR_LESS] = a<b, [OPERATOR_MORE] = a> b,
	};

	return results[number];
}

/* Without overflow, which C leaves undefined. */
static int64_t apply_operator(struct reader *reader, enum operator number, int64_t a,
			      int64_t b)
{
	const uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch (number) {
	case OPERATOR_BIT_OR:
		return a | b;
	case OPERATOR_BIT_XOR:
		return a ^ b;
	case OPERATOR_BIT_AND:
		return a & b;
	case OPERATOR_LEFT:
		return (int64_t)(y > 63 ? 0 : x << y);
	case OPERATOR_RIGHT:
		return a >> (y > 63 ? 63 : y);
	case OPERATOR_PLUS:
		return (int64_t)(x + y);
	case OPERATOR_MINUS:
		return (int64_t)(x - y);
	case OPERATOR_TIMES:
		return (int64_t)(x * y);
	case OPERATOR_BY:
	case OPERATOR_REST:
		if (reader->checks)
			return 0;
		if (!b || (b == -1 && a == INT64_MIN))
			return fail_at(reader, "a division by that");
		return number == OPERATOR_BY ? a / b : a % b;
	default:
		return compare_values(number, a, b);
	}
}

static int64_t read_binary(struct reader *reader, int level)
{
	int64_t value = read_unary(reader);

	while (!reader->error) {
		size_t i = 0;

		skip_spaces(reader);
		while (i < array_count(operators) &&
		       strncmp(reader->at, operators[i].text, strlen(operators[i].text)))
			i++;
		if (i == array_count(operators) || operators[i].level < level)
			break;
		reader->at += strlen(operators[i].text);
		value = apply_operator(reader, operators[i].number, value,
				       read_binary(reader, operators[i].level + 1));
	}
	return value;
}

struct trm_error *expression_compute(struct console *console, pid_t tid, const char *text,
				     const char **ret_rest, int64_t *ret_value)
{
	struct reader reader = {.console = console, .at = text};
	struct thread *thread;

	TRM_TRY(debug_find(console->session, tid, &thread));
	reader.pid = thread->process->pid;
	TRM_TRY(debug_get_registers(console->session, tid, &reader.registers));
	const int64_t value = read_binary(&reader, 0);

	skip_spaces(&reader);
	if (!ret_rest && *reader.at)
		fail_at(&reader, "something is left");
	if (reader.error)
		return reader.error;
	if (ret_rest)
		*ret_rest = reader.at;
	*ret_value = value;
	return NULL;
}

struct trm_error *expression_check(struct console *console, const char *text)
{
	struct reader reader = {.console = console, .at = text, .checks = true};

	read_binary(&reader, 0);
	skip_spaces(&reader);
	if (*reader.at)
		fail_at(&reader, "something is left");
	return reader.error;
}
