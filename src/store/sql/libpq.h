/*
 * The functions of libpq that are used. It is loaded when a server's database is first
 * opened: with all that it needs (TLS, Kerberos, LDAP) it would take every command some
 * milliseconds to start.
 */
#ifndef TRAMMEL_STORE_SQL_LIBPQ_H
#define TRAMMEL_STORE_SQL_LIBPQ_H

#include "base/error.h"

#include <libpq-fe.h>

#define LIBPQ_FUNCTIONS(X)                                                               \
	X(PQconnectdbParams)                                                             \
	X(PQconninfoParse)                                                               \
	X(PQconninfoFree)                                                                \
	X(PQstatus)                                                                      \
	X(PQfinish)                                                                      \
	X(PQerrorMessage)                                                                \
	X(PQsocket)                                                                      \
	X(PQserverVersion)                                                               \
	X(PQparameterStatus)                                                             \
	X(PQconnectionNeedsPassword)                                                     \
	X(PQsetNoticeProcessor)                                                          \
	X(PQsendQuery)                                                                   \
	X(PQsendPrepare)                                                                 \
	X(PQsendDescribePrepared)                                                        \
	X(PQsendQueryPrepared)                                                           \
	X(PQsetnonblocking)                                                              \
	X(PQflush)                                                                       \
	X(PQconsumeInput)                                                                \
	X(PQisBusy)                                                                      \
	X(PQgetResult)                                                                   \
	X(PQresultStatus)                                                                \
	X(PQresultErrorField)                                                            \
	X(PQresultErrorMessage)                                                          \
	X(PQclear)                                                                       \
	X(PQcmdStatus)                                                                   \
	X(PQntuples)                                                                     \
	X(PQnparams)                                                                     \
	X(PQparamtype)                                                                   \
	X(PQftype)                                                                       \
	X(PQgetvalue)                                                                    \
	X(PQgetlength)                                                                   \
	X(PQgetisnull)                                                                   \
	X(PQenterPipelineMode)                                                           \
	X(PQexitPipelineMode)                                                            \
	X(PQpipelineSync)

#define LIBPQ_MEMBER(name) __typeof__(&name) name;
struct libpq {
	LIBPQ_FUNCTIONS(LIBPQ_MEMBER)
};
#undef LIBPQ_MEMBER

/* The functions; valid once libpq_load() has succeeded. */
extern struct libpq libpq;

/* Loads the library, the first time. An error names the package that is missing. */
struct trm_error *libpq_load(void);

#endif
