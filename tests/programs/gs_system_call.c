// build: gcc -O2 lib/gs_child.c
// status: exit 70
// refused: GS
/* Sets the GS base with a system call (see lib/gs_child.c). */
typedef int gs_system_call;
