/*
 * The program that loads tools into a measured process: `trammel-tool-host BACK TOOL...`.
 * The tracer starts it on a thread of that process, by a dynamic loader of its own, and
 * answers its system calls (session/tool/). Started by anybody else it does nothing.
 */
#include "records.h"
#include "wire/tool.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Stack of the threads: routines run on it. */
#define STACK_SIZE (512u << 10)

extern char host_back[], host_back_call[];
_Noreturn void host_leave(uint64_t back);

/*
 * Behind a routine: the tracer takes over at the first system call. If it is dead, the
 * call sets the program's thread pointer, and the next one its registers. host_leave gets
 * there from elsewhere.
 */
__asm__(".text\n"
	".globl host_back, host_back_call, host_leave\n"
	"host_leave:\n"
	"	mov	%rdi, %rsp\n"
	"host_back:\n"
	"	mov	%rax, %rdx\n"
	"	mov	$158, %eax\n"    /* arch_prctl */
	"	mov	$0x1002, %edi\n" /* ARCH_SET_FS */
	"	mov	(%rsp), %rsi\n"
	"	syscall\n"
	"host_back_call:\n"
	"	lea	8(%rsp), %rsp\n"
	"	mov	$15, %eax\n" /* rt_sigreturn */
	"	syscall\n"
	"	hlt\n");

static struct wire_tool_table table;
static uint64_t way_back;

/* Tells the tracer something. False: it is not there. */
static bool tell_tracer(enum wire_tool_word word, const void *what)
{
	return !syscall(WIRE_TOOL_CALL, (long)word, what);
}

/* The thread of the program that makes one of the library, and is to run it; and how it
 * gets back. */
static pid_t maker;
static uint64_t maker_back;

/* A thread of the library, run by a thread of the program: it waits here, between the
 * routines, until that one ends. If the tracer is dead, that one is the program's again:
 * else the library would end it; or this is a thread that the kernel has made. */
static void *thread_main(void *argument)
{
	if (!tell_tracer(WIRE_TOOL_THREAD, NULL) && gettid() == maker)
		host_leave(maker_back);
	return argument;
}

static uint64_t new_thread(uint64_t back)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	maker = gettid();
	maker_back = back;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	error = pthread_create(&thread, &attributes, thread_main, NULL);
	pthread_attr_destroy(&attributes);
	return (uint64_t)error;
}

static uint64_t find_symbol(void *handle, const char *name)
{
	return (uint64_t)(uintptr_t)dlsym(handle, name);
}

/* Where the thread goes on that has the tools end; 0: none does. */
static uint64_t end_back;

/* The first function that was given to atexit, so the last one to run. Behind it the
 * process would end, which is for the tracer to say; it may be dead. */
static void leave_exit(void)
{
	if (!end_back)
		return;
	for (uint64_t i = 0; i < table.count; i++)
		dlclose((void *)(uintptr_t)table.tools[i].handle);
	fflush(NULL);
	host_leave(end_back);
}

static void end_tools(uint64_t back)
{
	end_back = back;
	exit(0);
}

_Noreturn static void refuse_tool(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static void refuse_tool(const char *format, ...)
{
	static char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	tell_tracer(WIRE_TOOL_REFUSED, text);
	host_leave(way_back);
}

/* Whether an object has constructors, which may call atexit, or destructors of its own,
 * beside those that every one has from the compiler's start-up files. */
static bool has_own_ends(const struct link_map *map)
{
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
		if ((entry->d_tag == DT_INIT_ARRAYSZ ||
		     entry->d_tag == DT_FINI_ARRAYSZ) &&
		    entry->d_un.d_val > sizeof(void *))
			return true;
	return false;
}

static void load_tool(const char *path, struct wire_tool *tool)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	struct link_map *map = NULL;

	if (!handle)
		refuse_tool("%s", dlerror());

	const uint32_t *version = dlsym(handle, "trammel_tool");

	if (version && *version != WIRE_TOOL_VERSION)
		refuse_tool("it was built with version %u of trammel/tool.h, this "
			    "trammel has version %u: build it anew",
			    *version, WIRE_TOOL_VERSION);
	dlinfo(handle, RTLD_DI_LINKMAP, &map);
	*tool = (struct wire_tool){
		.handle = (uint64_t)(uintptr_t)handle,
		.bias = map->l_addr,
		.startup = find_symbol(handle, "_halt_startup"),
		.ends = has_own_ends(map),
	};
}

int main(int argc, char **argv)
{
	if (argc > 1)
		way_back = strtoull(argv[1], NULL, 16);
	if (!way_back) {
		fputs("trammel-tool-host: it is for trammel's own use\n", stderr);
		return 1;
	}
	if (!tell_tracer(WIRE_TOOL_NOTHING, NULL)) /* it is dead */
		host_leave(way_back);
	stdout->_fileno = stderr->_fileno = WIRE_TOOL_OUTPUT;
	atexit(leave_exit);
	for (int i = 2; i < argc && table.count < WIRE_TOOLS_MAX; i++) {
		struct wire_tool *tool = &table.tools[table.count];

		load_tool(argv[i], tool);
		records_begin((void *)(uintptr_t)tool->handle, (uint32_t)table.count++);
	}
	table.back = (uint64_t)(uintptr_t)host_back;
	table.back_call = (uint64_t)(uintptr_t)host_back_call;
	table.new_thread = (uint64_t)(uintptr_t)new_thread;
	table.end = (uint64_t)(uintptr_t)end_tools;
	table.find = (uint64_t)(uintptr_t)find_symbol;
	table.records = (uint64_t)(uintptr_t)&records;
	tell_tracer(WIRE_TOOL_READY, &table);
	host_leave(way_back);
}
