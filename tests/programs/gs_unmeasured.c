// build: gcc -O2 lib/gs_loads.c
// plugin: libgs_sandbox.so lib/gs_sandbox.c gcc -O2 -mfsgsbase
// options: --only-program no_such_program
// output: changed 0
// not-preloaded: nothing of it needs GS
/* The same in a program that is not to be measured, but followed. */
typedef int gs_unmeasured;
