/* Regions told one by one: TRAMMEL_CONTEXT has the word "told", and the library calls
 * WIRE_TOLD_FUNCTION(text, size, begins) at each begin and end: "region=solve". */
#ifndef TRAMMEL_WIRE_TOLD_H
#define TRAMMEL_WIRE_TOLD_H

#define WIRE_TOLD_FUNCTION "trm_region_told"

enum { WIRE_TOLD_MAX = 512 /* bytes of a text, with a 0 */ };

#endif
