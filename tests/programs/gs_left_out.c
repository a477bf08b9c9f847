// build: gcc -O2 lib/gs_loads.c
// plugin: libgs_sandbox.so lib/gs_sandbox.c gcc -O2 -mfsgsbase
// options: --skip libgs_sandbox*:
// output: changed 0
// not-preloaded: nothing of it needs GS
// expect-process: program=gs_left_out state=released reason=GS
/* The same with a library that is not to be measured: what it calls would be. */
typedef int gs_left_out;
