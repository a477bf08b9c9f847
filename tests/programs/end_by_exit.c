// build: gcc -O2 -pthread -Wno-unused-result
// status: exit 9
// expect: function=leaf calls=4000
// expect: function=thread calls=3
// expect-process: program=end_by_exit state="exited 9"
/* A sudden end, while threads still run: no count is lost. */
#define END _exit(9)
#include "lib/sudden_end.h"
