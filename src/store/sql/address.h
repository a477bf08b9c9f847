/* Addresses of databases: paths of files, or those of servers, which may hold a password
 * that is never shown. */
#ifndef TRAMMEL_STORE_SQL_ADDRESS_H
#define TRAMMEL_STORE_SQL_ADDRESS_H

#include <stdbool.h>

/* Tells whether it is the address of a server: postgresql://..., postgres://... */
bool address_is_server(const char *address);

/* Returns the address without its password, for messages; the caller frees it. */
char *address_show(const char *address);

/* Puts x in place of each character of a password, where it stands: in the arguments of a
 * process, which all users can read. */
void address_hide(char *address);

#endif
