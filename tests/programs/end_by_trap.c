// build: gcc -O2 -pthread -Wno-unused-result
// status: signal SIGTRAP
// expect: function=leaf calls=4000
// expect: function=thread calls=3
// expect-process: program=end_by_trap state="killed by SIGTRAP"
/* A sudden end, while threads still run: no count is lost. */
#define END __asm__("int3")
#include "lib/sudden_end.h"
