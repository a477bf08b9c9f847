#include "session/cache/hook_table.h"

#include "base/array.h"
#include "base/text.h"
#include "wire/hooks.h"
#include "wire/layout.h"
#include "wire/phase.h"

#include <string.h>

static const struct {
	const char *name;
	uint8_t number;
} hooks[] = {
	{"_dl_debug_state", WIRE_HOOK_LINK_MAP},
	{"ptrace", WIRE_HOOK_PTRACE},
	{"execve", WIRE_HOOK_EXEC},
	{"__execve", WIRE_HOOK_EXEC},
	{"execveat", WIRE_HOOK_EXECAT},
	{"fexecve", WIRE_HOOK_EXECAT},
	{"syscall", WIRE_HOOK_SYSCALL},
	{"prctl", WIRE_HOOK_PRCTL},
	{"__prctl", WIRE_HOOK_PRCTL},
	{"arch_prctl", WIRE_HOOK_ARCH},
	{"sigaction", WIRE_HOOK_ACTION},
	{"__sigaction", WIRE_HOOK_ACTION},
	{"setrlimit", WIRE_HOOK_LIMIT},
	{"setrlimit64", WIRE_HOOK_LIMIT},
	{"prlimit", WIRE_HOOK_LIMIT},
	{"prlimit64", WIRE_HOOK_LIMIT},
	{"exit", WIRE_HOOK_EXIT},
	{"mprotect", WIRE_HOOK_MPROTECT},
	{"__mprotect", WIRE_HOOK_MPROTECT},
	{"pkey_mprotect", WIRE_HOOK_MPROTECT},
	{"mmap", WIRE_HOOK_MMAP},
	{"mmap64", WIRE_HOOK_MMAP},
	{"__mmap", WIRE_HOOK_MMAP},
	{"__mmap64", WIRE_HOOK_MMAP},
	{"mremap", WIRE_HOOK_MREMAP},
	{"__mremap", WIRE_HOOK_MREMAP},
	{"madvise", WIRE_HOOK_MADVISE},
	{"__madvise", WIRE_HOOK_MADVISE},
};

/* LeakSanitizer may be linked into any module; the library of contexts is one. */
uint8_t hook_table_find_anywhere(const char *name)
{
	if (!strcmp(name, WIRE_PHASE_FUNCTION))
		return WIRE_HOOK_PHASE;
	return text_glob("__lsan_do_*leak_check", name) ? WIRE_HOOK_EXIT : 0;
}

uint8_t hook_table_find(const char *name)
{
	for (size_t i = 0; i < array_count(hooks); i++)
		if (!strcmp(hooks[i].name, name))
			return hooks[i].number;
	return 0;
}

bool hook_table_is_for_points(uint8_t number)
{
	return number == WIRE_HOOK_LIMIT;
}

bool hook_table_has(const char *name)
{
	return hook_table_find(name) != 0;
}

bool hook_table_is_c_library(const char *name)
{
	static const char *const patterns[] = {"ld-linux*", "ld-*.so*", "libc.so*",
					       "libc-*.so*", "ld-musl*"};

	for (size_t i = 0; i < array_count(patterns); i++)
		if (text_glob(patterns[i], name))
			return true;
	return false;
}
