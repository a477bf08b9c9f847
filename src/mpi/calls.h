/*
 * libtrammel-mpi.so: what the wrappers of MPI functions, which generate.py writes, call.
 *
 * Each function of MPI is a region, `mpi.function`, in which the communicator and the
 * rank at the other end are open, as far as they are known: `mpi.comm`, `mpi.peer`,
 * `mpi.root`. Bytes of messages are metrics there, so that their count is that of the
 * messages.
 *
 * The library does not need an MPI library, nor does it choose one: it may be loaded into
 * programs without. What it calls is found when it is first called, since the MPI library
 * may be loaded late, and where nobody else sees it (by an extension of Python).
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

/* Functions of the MPI library that are called for our own sake. With MPICH those of
 * Fortran's handles are macros. */
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

/* Whether the MPI library is there, and of the kind that this one was built for. */
bool mpi_fits(void);
/* The library for another kind of MPI, which the program has; NULL: it has this one's, or
 * there is none for it. */
void *mpi_other(void);
/* Valid once that or mpi_begin() returned true. */
const struct mpi_handles *mpi_handles(void);
const struct mpi_functions *mpi_functions(void);

/* A function or object of the MPI library. NULL: there is none. */
void *mpi_find(const char *name);
/* A function by its name with a P or p before it, which must be there, since the program
 * calls it: ends the program if not. */
void *mpi_next(const char *name);

/* A call while it is measured. */
struct mpi_call {
	struct trm_site *site;
	unsigned opened; /* enum mpi_opened */
};
enum mpi_opened { MPI_OPENED_COMM = 1, MPI_OPENED_PEER = 2, MPI_OPENED_ROOT = 4 };

/* The name of a communicator, which may be gone when its name is wanted. */
struct mpi_name {
	uint32_t length; /* 0: none */
	char text[MPI_MAX_OBJECT_NAME];
};
void mpi_name_of(MPI_Comm comm, struct mpi_name *name);

/* Begins the region of a function. False: nothing measures, or the MPI library is none
 * that this one was made for. */
bool mpi_begin(struct mpi_call *call, struct trm_site *site);
/* Ends it, with what was opened in it. */
void mpi_end(struct mpi_call *call);

/* The communicator, and the rank in it at the other end; MPI_ANY_SOURCE, MPI_PROC_NULL:
 * none. At most once in a call. */
void mpi_open(struct mpi_call *call, MPI_Comm comm, int peer);
void mpi_open_peer(struct mpi_call *call, int peer);
void mpi_open_root(struct mpi_call *call, MPI_Comm comm, int root);
/* A communicator's name may be another from now on. */
void mpi_forget_names(void);

/* A message to the peer that is open, unless it is MPI_PROC_NULL; to another one. */
void mpi_sent(struct mpi_call *call, int peer, int count, MPI_Datatype type);
void mpi_sent_to(struct mpi_call *call, int peer, int count, MPI_Datatype type);
/* A message from `source`, if that is open, else from whom the status says. */
void mpi_received(struct mpi_call *call, int source, const MPI_Status *status);
/* Bytes got from the peer that is open. */
void mpi_got(struct mpi_call *call, int peer, int count, MPI_Datatype type);
/* The same of messages that are known by now: of this communicator and rank. */
void mpi_note_sent(const struct mpi_name *comm, int peer, uint64_t bytes);
void mpi_note_received(const struct mpi_name *comm, const MPI_Status *status);
/* Bytes of `count` items; 0 if that is not known. */
uint64_t mpi_bytes(int count, MPI_Datatype type);

/* What this rank gives to a collective operation, or gets of a scattered one. `root` less
 * than 0, `buffer` MPI_IN_PLACE: the arguments mean nothing here. _all: for each rank;
 * _each: `counts` for each. */
void mpi_shared(int root, const void *buffer, int count, MPI_Datatype type);
void mpi_shared_all(MPI_Comm comm, const void *buffer, int count, MPI_Datatype type);
void mpi_shared_each(MPI_Comm comm, const void *buffer, const int *counts,
		     MPI_Datatype type);

/* The status that the function is to fill in: `words`, if the program wants none. */
enum { MPI_STATUS_WORDS = 32 };

/* What is known of a request. */
struct mpi_note {
	uint64_t key;    /* the handle; 0: nothing is known */
	uint64_t number; /* of the note: the library gives handles again */
	struct mpi_name comm;
	bool receive;
	int peer;       /* of a send */
	uint64_t bytes; /* the same */
	uint64_t began; /* ns: of a receive that nobody waited for yet; 0: not known */
};

/* A call that completes requests. */
struct mpi_waiting {
	int count;              /* 0: none of the requests need be known */
	struct mpi_note *notes; /* of the requests, as they were */
	void *memory;           /* NULL: it fits in here */
	struct mpi_note few_notes[16];
	MPI_Status few_statuses[16];
};

/* The program has initialised MPI: its rank is known. */
void mpi_initialised(void);

/* All functions of MPI that are wrapped. */
extern const struct runtime_wrapper mpi_wrappers[];
extern const size_t mpi_wrapper_count;

#endif
