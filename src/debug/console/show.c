#include "debug/console/show.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "control/remote.h"
#include "debug/console/expression.h"
#include "debug/console/names.h"
#include "session/debug/access.h"
#include "session/debug/backtrace.h"
#include "session/debug/places.h"
#include "session/state/module.h"
#include "session/state/space.h"
#include "x86/decode.h"
#include "x86/disassemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTRUCTION = 15, FRAMES = 256, ROW = 16, CODE_MAX = 2000, VALUES_MAX = 4096 };

static size_t read_instruction(struct console *console, uint64_t address,
			       uint8_t bytes[INSTRUCTION])
{
	size_t size = INSTRUCTION;

	while (size && remote_failed(debug_read(console->session, console->pid, address,
						bytes, size)))
		size--;
	return size;
}

void show_place(struct console *console)
{
	struct text *out = &console->output;
	struct user_regs_struct registers;
	uint8_t bytes[INSTRUCTION];
	char text[DISASSEMBLE_TEXT_MAX] = "??";

	if (remote_failed(
		    debug_get_registers(console->session, console->tid, &registers)))
		return;
	const size_t size = read_instruction(console, registers.rip, bytes);

	if (size)
		disassemble(DISASSEMBLE_ATT, bytes, size, registers.rip, text);
	text_format(out, "0x%lx in ", (unsigned long)registers.rip);
	names_add(console, registers.rip, out);
	text_format(out, "\n=> %s\n", text);
}

struct trm_error *show_registers(struct console *console, const char *text)
{
	static const char *const names[] = {
		"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",    "r8",     "r9",
		"r10", "r11", "r12", "r13", "r14", "r15", "rip", "eflags", "fs_base"};
	struct user_regs_struct registers;
	bool shown = false;

	TRM_TRY(debug_get_registers(console->session, console->tid, &registers));
	for (size_t i = 0; i < array_count(names); i++) {
		const unsigned long long value =
			*expression_register(&registers, names[i], strlen(names[i]));

		if (*text && strcmp(text + (*text == '$'), names[i]))
			continue;
		text_format(&console->output, "%-8s 0x%-18llx %lld\n", names[i], value,
			    (long long)value);
		shown = true;
	}
	return shown ? NULL
		     : trm_error_create(TRM_ERROR_USAGE, "there is no register '%s'",
					text);
}

struct trm_error *show_stack(struct console *console, const char *text)
{
	struct debug_frame frames[FRAMES];
	char *end = (char *)(uintptr_t)text;
	const size_t most = *text ? strtoul(text, &end, 10) : FRAMES;
	size_t count;

	if (*end || *text == '-' || !most)
		return trm_error_create(TRM_ERROR_USAGE, "'%s' is no number", text);
	TRM_TRY(debug_backtrace(console->session, console->tid, frames,
				most < FRAMES ? most : FRAMES, &count));
	for (size_t i = 0; i < count; i++) {
		text_format(&console->output, "#%-3zu 0x%lx in ", i,
			    (unsigned long)frames[i].pc);
		/* The line of the call, not of what follows it. */
		names_add(console, frames[i].pc - !frames[i].exact, &console->output);
		text_add(&console->output, "\n");
	}
	return NULL;
}

static void read_thread_name(pid_t tid, char name[32])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	scoped_file FILE *file = fopen(path, "re");

	*name = '\0';
	if (file && fgets(name, 32, file))
		name[strcspn(name, "\n")] = '\0';
}

struct trm_error *show_threads(struct console *console, const char *text)
{
	struct user_regs_struct registers;
	char name[32];

	(void)text;
	vector_for_each (&console->session->all_threads, thread) {
		if (!(*thread)->process || !(*thread)->process->debugged)
			continue;
		read_thread_name((*thread)->tid, name);
		text_format(&console->output, "%c %d.%d \"%s\"  ",
			    (*thread)->tid == console->tid ? '*' : ' ',
			    (*thread)->process->pid, (*thread)->tid, name);
		if (remote_failed(debug_get_registers(console->session, (*thread)->tid,
						      &registers)))
			text_add(&console->output, "runs");
		else
			names_add(console, registers.rip, &console->output);
		text_add(&console->output, "\n");
	}
	return NULL;
}

struct trm_error *show_modules(struct console *console, const char *text)
{
	const struct space *space = names_space(console);

	(void)text;
	for (size_t i = 0; space && i < space->modules.count; i++) {
		const struct module *module = &space->modules.items[i];

		text_format(&console->output, "0x%lx-0x%lx %s%s\n",
			    (unsigned long)module->text_start,
			    (unsigned long)module->text_end, module->file->path,
			    module->code_size ? "" : "  (not measured)");
	}
	return NULL;
}

/* How memory is shown. */
struct form {
	uint64_t count;
	char format;
	size_t size;
};

/* Reads "/4xw" and moves *text behind it. */
static struct trm_error *read_form(const char **text, struct form *form)
{
	static const char sizes[] = "bhwg", formats[] = "xducsi";
	char *end;

	if (**text != '/')
		return NULL;
	form->count = strtoull(*text + 1, &end, 10);
	if (end == *text + 1)
		form->count = 1;
	for (; *end && *end != ' '; end++)
		if (strchr(sizes, *end))
			form->size = (size_t)1 << (strchr(sizes, *end) - sizes);
		else if (strchr(formats, *end))
			form->format = *end;
		else
			return trm_error_create(TRM_ERROR_USAGE,
						"'%c' is no format (%s) and no size (%s)",
						*end, formats, sizes);
	*text = end + strspn(end, " ");
	return form->count && form->count <= VALUES_MAX
		       ? NULL
		       : trm_error_create(TRM_ERROR_USAGE, "a count is 1 to %d",
					  VALUES_MAX);
}

static void add_value(struct text *out, const struct form *form, const uint8_t *bytes)
{
	uint64_t value = 0;
	const unsigned int shift = (unsigned int)(64 - 8 * form->size);

	memcpy(&value, bytes, form->size);
	if (form->format == 'd')
		text_format(out, "  %ld", (long)((int64_t)(value << shift) >> shift));
	else if (form->format == 'u')
		text_format(out, "  %lu", (unsigned long)value);
	else if (form->format == 'c')
		text_format(out, "  %ld '%c'", (long)value,
			    value >= ' ' && value < 127 ? (char)value : '.');
	else
		text_format(out, "  0x%0*lx", (int)(2 * form->size),
			    (unsigned long)value);
}

static struct trm_error *add_values(struct console *console, const struct form *form,
				    uint64_t address)
{
	uint8_t bytes[8];

	for (uint64_t i = 0; i < form->count; i++, address += form->size) {
		TRM_TRY(debug_read(console->session, console->pid, address, bytes,
				   form->size));
		if (i * form->size % ROW == 0)
			text_format(&console->output, "%s0x%lx:", i ? "\n" : "",
				    (unsigned long)address);
		add_value(&console->output, form, bytes);
	}
	text_add(&console->output, "\n");
	console->shown = address;
	return NULL;
}

static struct trm_error *add_string(struct console *console, uint64_t address)
{
	char c = 0;

	text_format(&console->output, "0x%lx: \"", (unsigned long)address);
	for (int i = 0; i < 200; i++, address++) {
		TRM_TRY(debug_read(console->session, console->pid, address, &c, 1));
		if (!c)
			break;
		if (c >= ' ' && c < 127)
			text_add_bytes(&console->output, &c, 1);
		else
			text_format(&console->output, "\\%03o", (unsigned char)c);
	}
	text_add(&console->output, "\"\n");
	console->shown = address + 1;
	return NULL;
}

/* An instruction of the original; returns its length, 0: it cannot be read. */
static size_t add_instruction(struct console *console, uint64_t address, uint64_t pc)
{
	char text[DISASSEMBLE_TEXT_MAX];
	uint8_t bytes[INSTRUCTION];
	const size_t size = read_instruction(console, address, bytes);

	if (!size)
		return 0;
	const size_t length = disassemble(DISASSEMBLE_ATT, bytes, size, address, text);

	text_format(&console->output, "%s 0x%lx  %-44s", address == pc ? "=>" : "  ",
		    (unsigned long)address, text);
	return length;
}

struct trm_error *show_memory(struct console *console, const char *text)
{
	struct form form = {.count = 1, .format = 'x', .size = 8};
	int64_t address = (int64_t)console->shown;

	TRM_TRY(read_form(&text, &form));
	if (*text)
		TRM_TRY(expression_compute(console, console->tid, text, NULL, &address));
	else if (!address)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"an address is missing: nothing was shown before");
	if (form.format == 's')
		return add_string(console, (uint64_t)address);
	if (form.format != 'i')
		return add_values(console, &form, (uint64_t)address);
	for (uint64_t i = 0; i < form.count; i++) {
		const size_t length = add_instruction(console, (uint64_t)address, 0);

		text_add(&console->output, "\n");
		address += (int64_t)(length ? length : 1);
	}
	console->shown = (uint64_t)address;
	return NULL;
}

/* What runs at a place of trammel's, as it is in memory. */
static void add_own(struct console *console, uint64_t address)
{
	const struct space *space = names_space(console);
	char text[DISASSEMBLE_TEXT_MAX];
	uint8_t bytes[INSTRUCTION];

	if (!space ||
	    remote_failed(remote_read(space->memory_fd, address, bytes, sizeof(bytes))))
		return;
	disassemble(DISASSEMBLE_ATT, bytes, sizeof(bytes), address, text);
	text_format(&console->output, "| 0x%lx  %s", (unsigned long)address, text);
}

/* Code of trammel's in front of an instruction's own, in relocated code: probes. */
static void add_probes(struct console *console, uint64_t from, uint64_t to)
{
	const struct space *space = names_space(console);
	char text[DISASSEMBLE_TEXT_MAX];
	uint8_t bytes[INSTRUCTION];

	while (space && from < to && to - from < 256) {
		if (remote_failed(
			    remote_read(space->memory_fd, from, bytes, sizeof(bytes))))
			return;
		const size_t length =
			disassemble(DISASSEMBLE_ATT, bytes, sizeof(bytes), from, text);

		text_format(&console->output, "%67s| 0x%lx  %s   <- probe\n", "",
			    (unsigned long)from, text);
		from += length;
	}
}

/* An instruction, and what runs in its place. */
static size_t add_both(struct console *console, uint64_t address, uint64_t pc)
{
	struct debug_place places[DEBUG_PLACES];
	const size_t count = debug_places(console->session, console->pid, address, places,
					  array_count(places));
	const size_t begin = console->output.length;
	size_t length, moved = count;

	for (size_t i = 0; i < count; i++)
		if (!places[i].text)
			moved = i;
	const bool has_code =
		debug_counts_exactly(console->session, console->pid, address);

	if (moved < count && has_code)
		add_probes(console,
			   debug_probes_before(console->session, console->pid, address),
			   places[moved].address);
	length = add_instruction(console, address, pc);
	if (!length) {
		console->output.length = begin;
		return 0;
	}
	if (moved < count && has_code)
		add_own(console, places[moved].address);
	else if (!count || !has_code)
		text_add(&console->output, "| nothing");
	text_add(&console->output, "\n");
	return length;
}

struct trm_error *show_code(struct console *console, const char *text)
{
	uint64_t start, end, pc = 0;
	struct user_regs_struct registers;

	if (!remote_failed(
		    debug_get_registers(console->session, console->tid, &registers)))
		pc = registers.rip;
	TRM_TRY(names_find(console, *text ? text : "$pc", &start));
	if (!names_function(console, start, &start, &end) || end <= start)
		end = start + 64;
	if (end - start > CODE_MAX)
		end = start + CODE_MAX;
	while (start < end) {
		const size_t length = add_both(console, start, pc);

		if (!length)
			break;
		start += length;
	}
	console->shown = start;
	return NULL;
}
