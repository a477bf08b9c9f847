#include "runtime/libraries/loads.h"
#include "runtime/libraries/wrap.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>

uint64_t loads_opens, loads_closes;

__attribute__((used)) static void *real_dlopen, *real_dlclose, *real_dlsym;
void loads_dlopen(void);
void loads_dlclose(void);
void loads_dlsym(void);
void *loads_asked(void *handle, const char *name);

#define FUNCTION(name, body)                                                             \
	".hidden " #name "\n.type " #name ", @function\n" #name                          \
	":\n\t.cfi_startproc\n" body "\t.cfi_endproc\n.size " #name ", .-" #name "\n"

__asm__(".text\n" FUNCTION(loads_dlopen, "\tlock incq loads_opens(%rip)\n"
					 "\tjmp *real_dlopen(%rip)\n")
		FUNCTION(loads_dlclose, "\tlock incq loads_closes(%rip)\n"
					"\tjmp *real_dlclose(%rip)\n")
			FUNCTION(loads_dlsym,
				 "\tpush %rdi\n\t.cfi_adjust_cfa_offset 8\n"
				 "\tpush %rsi\n\t.cfi_adjust_cfa_offset 8\n"
				 "\tsub $8, %rsp\n\t.cfi_adjust_cfa_offset 8\n"
				 "\tcall loads_asked\n"
				 "\tadd $8, %rsp\n\t.cfi_adjust_cfa_offset -8\n"
				 "\tpop %rsi\n\t.cfi_adjust_cfa_offset -8\n"
				 "\tpop %rdi\n\t.cfi_adjust_cfa_offset -8\n"
				 "\ttest %rax, %rax\n"
				 "\tjnz 1f\n"
				 "\tjmp *real_dlsym(%rip)\n"
				 "1:\tret\n"));

static const struct wrap wraps[] = {
	{"dlopen", (void *)loads_dlopen, &real_dlopen},
	{"dlclose", (void *)loads_dlclose, &real_dlclose},
	{"dlsym", (void *)loads_dlsym, &real_dlsym},
};

void loads_watch(void)
{
	wrap_install(wraps, sizeof(wraps) / sizeof(wraps[0]));
}

void loads_wrap(const struct wrap *of_service, size_t count)
{
	wrap_install(of_service, count);
	loads_watch();
}

/* What a program looks up that calls functions by their names; NULL: as it is. */
static void *wrapper_of(void *handle, const char *name)
{
	void *(*look_up)(void *, const char *) =
		(void *(*)(void *, const char *))real_dlsym;
	void *wrapper = wrap_found(name);

	return wrapper && look_up(handle, name) ? wrapper : NULL;
}

/* Nobody waits here: the loader may hold locks of its own meanwhile. Who finds another
 * thread at work leaves the library to the next call. */
static void look_at(void *handle)
{
	static bool busy;
	static uint64_t closes; /* when the modules that were seen were noted */
	uint64_t now = __atomic_load_n(&loads_closes, __ATOMIC_RELAXED);

	if (__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE))
		return;
	if (now != closes)
		wrap_forget();
	closes = now;
	wrap_library(handle);
	__atomic_store_n(&busy, false, __ATOMIC_RELEASE);
}

/* The function that dlsym is to return; NULL: what it finds. */
__attribute__((used)) void *loads_asked(void *handle, const char *name)
{
	int saved = errno;
	void *wrapper;

	if (!handle || handle == RTLD_NEXT)
		return NULL;
	look_at(handle);
	wrapper = wrapper_of(handle, name);
	errno = saved;
	return wrapper;
}
