/*
 * libtrammel-mpi.so: the functions that the wrappers of MPI functions, which generate.py
 * writes, call.
 *
 * Each function of MPI is a region, `mpi.function`, in which the communicator and the
 * rank at the other end are open, as far as they are known: `mpi.comm`, `mpi.peer`,
 * `mpi.root`. Bytes of messages are metrics there, so that their count is that of the
 * messages.
 *
 * The library neither needs nor chooses an MPI library: it may be loaded into programs
 * without one. Functions of MPI are looked up at their first call, since the MPI library
 * may be loaded late, and where no other library sees it (by an extension of Python).
 */
#ifndef TRAMMEL_MPI_CALLS_H
#define TRAMMEL_MPI_CALLS_H

#include <mpi.h>

#include "publish/publish.h"
#include "runtime/process/plugin_api.h"
#include "runtime/libraries/ranks_api.h"
#include "trammel/annotate.h"

/* Objects of the MPI library, which may be addresses in it. */
struct mpi_handles {
	MPI_Comm world, no_comm;
	MPI_Datatype byte, no_type;
	MPI_Request no_request;
};

/* Functions of the MPI library that this library calls for its own purposes. With MPICH
 * the functions that convert Fortran's handles are macros. */
#ifdef OPEN_MPI
#define MPI_HANDLE_FUNCTIONS(row) row(Comm_f2c) row(Type_f2c)
#else
#define MPI_HANDLE_FUNCTIONS(row)
#endif
#define MPI_OWN_FUNCTIONS(row)                                                           \
	row(Comm_dup) row(Comm_free) row(Comm_get_name) row(Comm_rank) row(Comm_size)    \
		row(Comm_test_inter) row(Finalized) row(Get_count)                       \
			row(Get_library_version) row(Initialized) row(Probe) row(Recv)   \
				row(Send) row(Status_f2c) row(Test_cancelled)            \
					row(Type_size)

struct mpi_functions {
#define MPI_FUNCTION_(name) __typeof__(PMPI_##name) *name;
	MPI_OWN_FUNCTIONS(MPI_FUNCTION_) MPI_HANDLE_FUNCTIONS(MPI_FUNCTION_)
#undef MPI_FUNCTION_
};

/* Tells whether the MPI library is loaded and is of the kind that this library was built
 * for. */
bool mpi_fits(void);
/* Returns the handle of the library for another kind of MPI, which the program has; NULL
 * if the program has the kind of this library, or no library exists for its kind. */
void *mpi_other(void);
/* Returns the handles; valid once mpi_fits() or mpi_begin() has returned true. */
const struct mpi_handles *mpi_handles(void);
const struct mpi_functions *mpi_functions(void);

/* Finds the function or object `name` of the MPI library; returns NULL if it has no such
 * object. */
void *mpi_find(const char *name);
/* Finds a function by its name `name` with a P or p before it. It must exist, since the
 * program calls it: ends the program if it does not. */
void *mpi_next(const char *name);

/* A call while it is measured. */
struct mpi_call {
	struct trm_site *site;
	unsigned opened; /* enum mpi_opened */
};
enum mpi_opened { MPI_OPENED_COMM = 1, MPI_OPENED_PEER = 2, MPI_OPENED_ROOT = 4 };

/* The name of a communicator, kept since the communicator may be freed before the name
 * is read. */
struct mpi_name {
	uint32_t length; /* 0: none */
	char text[MPI_MAX_OBJECT_NAME];
};
void mpi_name_of(MPI_Comm comm, struct mpi_name *name);

/* Begins the region of a function at `site`. Returns false if nothing measures, or the
 * MPI library is of another kind than this one was made for. */
bool mpi_begin(struct mpi_call *call, struct trm_site *site);
/* Ends the region of `call`, and the attributes that were opened in it. */
void mpi_end(struct mpi_call *call);

/* Opens the communicator and the rank `peer` at the other end; MPI_ANY_SOURCE and
 * MPI_PROC_NULL open no rank. Called at most once in a call. */
void mpi_open(struct mpi_call *call, MPI_Comm comm, int peer);
void mpi_open_peer(struct mpi_call *call, int peer);
void mpi_open_root(struct mpi_call *call, MPI_Comm comm, int root);
/* Forgets the names of communicators, since one may have changed. */
void mpi_forget_names(void);

/* Counts a message of `count` items of `type` to the peer that is open (mpi_sent) or to
 * another one (mpi_sent_to), unless `peer` is MPI_PROC_NULL. */
void mpi_sent(struct mpi_call *call, int peer, int count, MPI_Datatype type);
void mpi_sent_to(struct mpi_call *call, int peer, int count, MPI_Datatype type);
/* Counts a message that was received from `source` if that is open, else from the rank
 * in `status`. */
void mpi_received(struct mpi_call *call, int source, const MPI_Status *status);
/* Counts the bytes of `count` items of `type` that were got from the open peer. */
void mpi_got(struct mpi_call *call, int peer, int count, MPI_Datatype type);
/* Count a message that is known only when its request is complete: of the communicator
 * `comm`, to rank `peer` or from the rank in `status`. */
void mpi_note_sent(const struct mpi_name *comm, int peer, uint64_t bytes);
void mpi_note_received(const struct mpi_name *comm, const MPI_Status *status);
/* Returns the bytes of `count` items of `type`; 0 if they are not known. */
uint64_t mpi_bytes(int count, MPI_Datatype type);

/* Count the bytes that this rank gives to a collective operation, or gets from a
 * scattering one. If `root` is less than 0 or `buffer` is MPI_IN_PLACE, the other
 * arguments have no meaning here. _all: `count` items for each rank; _each: `counts`
 * items for each. */
void mpi_shared(int root, const void *buffer, int count, MPI_Datatype type);
void mpi_shared_all(MPI_Comm comm, const void *buffer, int count, MPI_Datatype type);
void mpi_shared_each(MPI_Comm comm, const void *buffer, const int *counts,
		     MPI_Datatype type);

/* Words of the buffer for the status that the function fills in if the program wants
 * none. */
enum { MPI_STATUS_WORDS = 32 };

/* Facts about a request. */
struct mpi_note {
	uint64_t key;    /* the handle; 0: nothing is known */
	uint64_t number; /* of the note, since the library uses handles again */
	struct mpi_name comm;
	bool receive;
	int peer;       /* rank, of a send */
	uint64_t bytes; /* of a send */
	uint64_t began; /* ns, of a receive that was not waited for yet; 0: not known */
};

/* A call that completes requests. */
struct mpi_waiting {
	int count;              /* 0: no request needs to be known */
	struct mpi_note *notes; /* of the requests before the call */
	void *memory;           /* NULL: `few_notes` and `few_statuses` have room */
	struct mpi_note few_notes[16];
	MPI_Status few_statuses[16];
};

/* Notes that the program has initialised MPI, so that its rank is known. */
void mpi_initialised(void);

/* All functions of MPI that are wrapped. */
extern const struct runtime_wrapper mpi_wrappers[];
extern const size_t mpi_wrapper_count;

#endif
