// build: gcc -O2 -pthread -Wno-unused-result
// status: signal SIGTERM
// expect: function=leaf calls=4000
// expect: function=thread calls=3
// expect-process: program=end_by_term state="killed by SIGTERM"
/* A sudden end, while threads still run: no count is lost. */
#define END raise(SIGTERM)
#include "lib/sudden_end.h"
