/* Names of sockets, by what the kernel lists of them. */
#ifndef TRAMMEL_STACKS_SOCKET_H
#define TRAMMEL_STACKS_SOCKET_H

#include "base/table.h"

#include <stdint.h>

/* What is known of sockets, by their inodes; all-zero is nothing. */
struct stacks_sockets {
	struct table by_inode; /* index in `names` + 1 */
	struct string_table names;
	uint32_t looked; /* processes whose lists were read since the last forgetting */
};
void stacks_sockets_deinit(struct stacks_sockets *sockets);

/* Finds the address of a socket by its inode, as a process sees the network: the other
 * end's, or where it listens; NULL: it has none. Valid as long as `sockets`. */
const char *stacks_socket_address(struct stacks_sockets *sockets, uint32_t pid,
				  uint64_t inode);

#endif
