// build: gcc -O2 lib/gs_loads.c
// plugin: libgs_sandbox.so lib/gs_sandbox.c gcc -O2 -mfsgsbase
// output: changed 0
// not-preloaded: nothing of it needs GS
// expect-process: program=gs_plugin state=released reason=GS
/* A library that sets GS (see lib/gs_sandbox.c) is loaded: the process is let go. */
typedef int gs_plugin;
