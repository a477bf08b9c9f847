// build: gcc -O2 lib/flags_passed.S
// strip: yes
// output: flags 155510 998499 1000496 1002492 500
/* flags_passed.c without symbols to tell functions apart: some are entered in their
 * middle. */
#include "flags_passed.c"
