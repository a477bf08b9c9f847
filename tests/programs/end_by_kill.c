// build: gcc -O2 -pthread -Wno-unused-result
// status: signal SIGKILL
// expect: function=leaf calls=4000
// expect: function=thread calls=3
// expect-process: program=end_by_kill state="killed by SIGKILL"
/* A sudden end, while threads still run: no count is lost. */
#define END raise(SIGKILL)
#include "lib/sudden_end.h"
