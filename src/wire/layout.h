/*
 * Memory shared by the tracer and a measured program: one arena (a memfd) for each
 * program image, that is from one exec to the next, and all processes forked from it.
 *
 *     arena file                          mapped in the program
 *     0          resident code            read, execute
 *     0x8000     copies of instructions   read, execute: see wire/stretch.h
 *     0x48000    struct wire_control      read, write
 *     0x114000   banks, in chunks         read, write; chunks beyond the first anywhere
 *     ...        trampolines of modules   read, execute, near their module
 *
 * A bank belongs to one thread, whose GS base is its address: a header with mailbox,
 * saved registers and the resident's stack, then the counters. Both sides are built
 * together; programs of other versions never read it, and WIRE_VERSION guards the cache
 * files with code made for this layout.
 *
 * The offsets are plain numbers since the resident's assembly uses them; layout.c checks
 * them against the structures.
 */
#ifndef TRAMMEL_WIRE_LAYOUT_H
#define TRAMMEL_WIRE_LAYOUT_H

#define WIRE_VERSION 76

#define WIRE_RESIDENT_CODE  0x8000 /* bytes for the resident's code in the arena */
#define WIRE_STRETCH_CODE   0x8000
#define WIRE_RESIDENT_SIZE  0x48000 /* bytes of the arena that are executable: both */
#define WIRE_CONTROL_OFFSET 0x48000
#define WIRE_BANKS_OFFSET   0x114000
#define WIRE_BANK_HEADER    0x4000 /* bytes in front of the counters of a bank */
#define WIRE_CONTROL_STACK                                                               \
	0x1000 /* in wire_control: initial stack pointer of injected code */

#endif
