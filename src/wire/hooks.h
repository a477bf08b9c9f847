/* Hooks: why trampolines call the resident, and what it finds on the program's stack. */
#ifndef TRAMMEL_WIRE_HOOKS_H
#define TRAMMEL_WIRE_HOOKS_H

/* A hook's frame on the program's stack, from its low end: struct wire_registers, the
 * return address in the trampoline, the hook's number, and the red zone below which it
 * begins. */
#define WIRE_HOOK_REGISTERS 136
#define WIRE_HOOK_FRAME     (WIRE_HOOK_REGISTERS + 16 + 128)

/* Hook numbers: reasons for which the resident calls the tracer. 0: none. */
#define WIRE_HOOK_LINK_MAP 1 /* _dl_debug_state: modules come or go */
#define WIRE_HOOK_PTRACE   2 /* ptrace(request, pid, ...) */
#define WIRE_HOOK_EXEC     3 /* execve(path, ...) */
#define WIRE_HOOK_EXECAT   4 /* execveat(fd, path, ...), fexecve */
#define WIRE_HOOK_SYSCALL  5 /* syscall(number, ...) */
#define WIRE_HOOK_PRCTL    6 /* prctl(option, ...) */
#define WIRE_HOOK_LAZY     7 /* a function that is not planned yet: code/planner/lazy.h */
#define WIRE_HOOK_ARCH     8 /* arch_prctl(code, ...) */
#define WIRE_HOOK_LOADED   9 /* ld.so has mapped the initial modules */
/* Functions that may set the GS base (code/scan/gs.h): on every call, */
#define WIRE_HOOK_GS      10
#define WIRE_HOOK_GS_CODE 11 /* if an argument is ARCH_SET_GS, */
#define WIRE_HOOK_GS_CALL 12 /* if another argument is SYS_arch_prctl as well */
#define WIRE_HOOK_ACTION  13 /* sigaction(signal, new, ...), of signals of faults */
#define WIRE_HOOK_LIMIT                                                                  \
	14 /* setrlimit(resource, new), prlimit(pid, resource, new, ...) */
#define WIRE_HOOK_PHASE 15 /* a view is asked for: wire/phase.h */
#define WIRE_HOOK_EXIT  16 /* exit(status), in programs with LeakSanitizer */
/* Functions whose calls begin or end counting. Their numbers minus WIRE_HOOK_EXIT are
 * bits of wire_control.window: the tracer wants to be told of their calls. */
#define WIRE_HOOK_START 17
#define WIRE_HOOK_STOP  18
#define WIRE_HOOK_BOTH  19
/* From here on calls that may change the program's code: resident.S passes those that do
 * not concern a text of the table in wire_control. */
#define WIRE_HOOK_MPROTECT 20 /* mprotect(address, size, rights), pkey_mprotect */
#define WIRE_HOOK_MMAP     21 /* mmap(address, size, rights, flags, ...) */
#define WIRE_HOOK_MREMAP   22 /* mremap(address, size, new size, flags, to) */
#define WIRE_HOOK_MADVISE  23 /* madvise(address, size, advice): pages are dropped */
/* From here on functions that read return addresses: the resident restores the original
 * ones, without the tracer. */
#define WIRE_HOOK_OWN   24 /* of the function's own frame */
#define WIRE_HOOK_STACK 25 /* of all frames */
/* Of the function's own frame; the tracer is also asked, if code behind the call may be
 * patched, since the function reads it or goes on there. */
#define WIRE_HOOK_BEYOND 26

#endif
