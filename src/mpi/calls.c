/* Regions of MPI functions, and finding the MPI library. */
#include "mpi/calls.h"

#include "base/path.h"
#include "runtime/process/plugin_api.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct mpi_handles handles;
	struct mpi_functions functions;
	uint32_t known; /* enum knowledge */
	trm_attribute comm, peer, root;
	uint32_t names; /* changes when names of communicators may */
} mpi;

enum knowledge { UNKNOWN, FITS, STRANGE };

#define OTHER "libtrammel-mpi-mpich.so.0"

static int find_library(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *name = path_name(info->dlpi_name);
	void **library = context;

	(void)size;
	if (!strncmp(name, "libmpi.so", 9) || !strncmp(name, "libmpich.so", 11))
		*library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	return *library != NULL;
}

/* The program's own scope first: an object may have been copied into the program, and the
 * library's is then not the one that is used (copy relocations). */
void *mpi_find(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name), *library = NULL;

	if (!found && dl_iterate_phdr(find_library, &library))
		found = dlsym(library, name);
	return found;
}

void *mpi_next(const char *name)
{
	void *other = mpi_other();
	void *found = other ? dlsym(other, name + 1) : NULL;

	if (!found)
		found = mpi_find(name);
	if (!found) /* one without that interface */
		found = dlsym(RTLD_NEXT, name + 1);
	if (found)
		return found;
	fprintf(stderr, "trammel: the MPI library has no '%s'\n", name + 1);
	abort();
}

/* A predefined object: with Open MPI it is at an address, else a number. */
#ifdef OPEN_MPI
#define LIBRARY                     "Open MPI"
#define HANDLE(type, symbol, value) ((type)mpi_find(symbol))
#else
#define LIBRARY                     "MPICH"
#define HANDLE(type, symbol, value) ((void)(symbol), (value))
#endif

/* Whether the MPI library is of the kind that this one was built for: handles and
 * constants of others are not the same. */
static bool is_of_kind(void)
{
	int (*get)(char *, int *) =
		(int (*)(char *, int *))mpi_find("PMPI_Get_library_version");
	char version[8192] = ""; /* more than any kind writes */
	int length;

	return get && !get(version, &length) && strstr(version, LIBRARY);
}

/* The one for another kind lies beside this one; NULL: there is none. */
static void *load_other(void)
{
	char path[4096];
	Dl_info info;

	if (!dladdr((void *)(uintptr_t)&mpi_other, &info))
		return NULL;
	snprintf(path, sizeof(path), "%.*s" OTHER,
		 (int)(path_name(info.dli_fname) - info.dli_fname), info.dli_fname);
	return strcmp(path, info.dli_fname) != 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL)
						 : NULL;
}

void *mpi_other(void)
{
	static struct {
		pthread_mutex_t lock;
		bool looked;
		void *library;
	} other = {PTHREAD_MUTEX_INITIALIZER, false, NULL};

	if (!mpi_find("PMPI_Get_library_version"))
		return NULL; /* MPI's library comes later */
	pthread_mutex_lock(&other.lock);
	if (!other.looked && !is_of_kind())
		other.library = load_other();
	other.looked = true;
	pthread_mutex_unlock(&other.lock);
	return other.library;
}

static bool find_handles(void)
{
	mpi.handles = (struct mpi_handles){
		HANDLE(MPI_Comm, "ompi_mpi_comm_world", MPI_COMM_WORLD),
		HANDLE(MPI_Comm, "ompi_mpi_comm_null", MPI_COMM_NULL),
		HANDLE(MPI_Datatype, "ompi_mpi_byte", MPI_BYTE),
		HANDLE(MPI_Datatype, "ompi_mpi_datatype_null", MPI_DATATYPE_NULL),
		HANDLE(MPI_Request, "ompi_request_null", MPI_REQUEST_NULL),
	};
	return mpi.handles.world && mpi.handles.no_comm && mpi.handles.byte &&
	       mpi.handles.no_type && mpi.handles.no_request;
}

static bool find_functions(void)
{
	bool all = true;

#define FIND(name)                                                                       \
	all &= (mpi.functions.name = (__typeof__(mpi.functions.name))mpi_find(           \
			"PMPI_" #name)) != NULL;
	MPI_OWN_FUNCTIONS(FIND)
	MPI_HANDLE_FUNCTIONS(FIND)
#undef FIND
	return all;
}

/* Before a site makes them. */
static void make_attributes(void)
{
	const uint32_t call = TRM_NESTED | RUNTIME_OF_MPI, detail = call | RUNTIME_DETAIL;

	trm_attribute_create("mpi.function", TRM_TYPE_STRING, call);
	mpi.comm = trm_attribute_create("mpi.comm", TRM_TYPE_STRING, detail);
	mpi.peer = trm_attribute_create("mpi.peer", TRM_TYPE_INT, detail);
	mpi.root = trm_attribute_create("mpi.root", TRM_TYPE_INT, detail);
}

static enum knowledge look_for_tools(void)
{
	if (!mpi_find("PMPI_Get_library_version"))
		return UNKNOWN;
	if (!is_of_kind() || !find_functions() || !find_handles())
		return STRANGE;
	make_attributes();
	return FITS;
}

const struct mpi_handles *mpi_handles(void)
{
	return &mpi.handles;
}

const struct mpi_functions *mpi_functions(void)
{
	return &mpi.functions;
}

/* Several threads may look at once: all find the same. */
bool mpi_fits(void)
{
	uint32_t known = __atomic_load_n(&mpi.known, __ATOMIC_ACQUIRE);

	if (__builtin_expect(known == UNKNOWN, 0)) {
		known = look_for_tools();
		__atomic_store_n(&mpi.known, known, __ATOMIC_RELEASE);
	}
	return known == FITS;
}

bool mpi_begin(struct mpi_call *call, struct trm_site *site)
{
	if (!TRM_ACTIVE_ || !mpi_fits())
		return false;
	call->site = site;
	call->opened = 0;
	trm_link_.api->enter(site);
	return true;
}

void mpi_end(struct mpi_call *call)
{
	if (call->opened & MPI_OPENED_ROOT)
		trm_link_.api->end(mpi.root);
	if (call->opened & MPI_OPENED_PEER)
		trm_link_.api->end(mpi.peer);
	if (call->opened & MPI_OPENED_COMM)
		trm_link_.api->end(mpi.comm);
	trm_link_.api->leave(call->site);
}

/* The name of a communicator as it was looked up last, by the thread. */
struct recent {
	MPI_Comm comm;
	uint32_t names; /* mpi.names + 1 then; 0: nothing is known */
	struct mpi_name name;
	struct trm_site site; /* of the name, so that it is looked up once */
};

/* Those that have none are told apart by their size. */
static void look_up(struct recent *recent, MPI_Comm comm)
{
	struct mpi_name *name = &recent->name;
	int length = 0, size = 0;

	if (mpi.functions.Comm_get_name(comm, name->text, &length) || length <= 0) {
		mpi.functions.Comm_size(comm, &size);
		length = snprintf(name->text, sizeof(name->text), "communicator of %d",
				  size);
	}
	name->length = (uint32_t)length;
	name->text[sizeof(name->text) - 1] = '\0';
	recent->site = (struct trm_site){"mpi.comm", name->text, 0, 0, 0, 0};
	recent->comm = comm;
	recent->names = __atomic_load_n(&mpi.names, __ATOMIC_ACQUIRE) + 1;
}

void mpi_forget_names(void)
{
	__atomic_fetch_add(&mpi.names, 1, __ATOMIC_RELEASE);
}

static struct recent *find_name(MPI_Comm comm)
{
	static _Thread_local struct recent recent[4];
	struct recent *known = &recent[(uintptr_t)comm >> 6 & 3];

	if (known->comm != comm ||
	    known->names != __atomic_load_n(&mpi.names, __ATOMIC_ACQUIRE) + 1)
		look_up(known, comm);
	return known;
}

void mpi_name_of(MPI_Comm comm, struct mpi_name *name)
{
	name->length = 0;
	if (comm != mpi.handles.no_comm)
		*name = find_name(comm)->name;
}

static void open_name(struct mpi_call *call, const struct mpi_name *name)
{
	struct trm_value value = {TRM_TYPE_STRING, name->length, {0}};

	value.as.bytes = name->text;
	trm_link_.api->begin(mpi.comm, &value);
	call->opened |= MPI_OPENED_COMM;
}

static void open_comm(struct mpi_call *call, MPI_Comm comm)
{
	if (comm == mpi.handles.no_comm)
		return;
	trm_link_.api->enter(&find_name(comm)->site);
	call->opened |= MPI_OPENED_COMM;
}

void mpi_open_peer(struct mpi_call *call, int peer)
{
	const struct trm_value rank = trm_value_int(peer);

	if (peer < 0 || call->opened & MPI_OPENED_PEER)
		return;
	trm_link_.api->begin(mpi.peer, &rank);
	call->opened |= MPI_OPENED_PEER;
}

void mpi_open(struct mpi_call *call, MPI_Comm comm, int peer)
{
	open_comm(call, comm);
	mpi_open_peer(call, peer);
}

void mpi_open_root(struct mpi_call *call, MPI_Comm comm, int root)
{
	const struct trm_value rank = trm_value_int(root);

	open_comm(call, comm);
	if (root < 0)
		return;
	trm_link_.api->begin(mpi.root, &rank);
	call->opened |= MPI_OPENED_ROOT;
}

/* Of messages that do not belong to the call's own peer. */
static void note_apart(const struct mpi_name *comm, int peer, void (*note)(uint64_t),
		       uint64_t bytes)
{
	struct mpi_call call = {0};

	if (comm && comm->length)
		open_name(&call, comm);
	mpi_open_peer(&call, peer);
	note(bytes);
	if (call.opened & MPI_OPENED_PEER)
		trm_link_.api->end(mpi.peer);
	if (call.opened & MPI_OPENED_COMM)
		trm_link_.api->end(mpi.comm);
}

/* Metrics of bytes: one call, one message. */
static void note_value(trm_attribute *known, const char *name, uint64_t bytes)
{
	const struct trm_value value = trm_value_uint(bytes);

	if (!*known)
		*known = trm_attribute_create(name, TRM_TYPE_UINT,
					      TRM_AS_VALUE | TRM_AGGREGATABLE |
						      RUNTIME_OF_MPI);
	trm_link_.api->set(*known, &value);
}

static void note_sent(uint64_t bytes)
{
	static trm_attribute known;

	note_value(&known, "mpi.bytes.sent", bytes);
}

static void note_received(uint64_t bytes)
{
	static trm_attribute known;

	note_value(&known, "mpi.bytes.received", bytes);
}

static void note_shared(uint64_t bytes)
{
	static trm_attribute known;

	note_value(&known, "mpi.bytes.collective", bytes);
}

uint64_t mpi_bytes(int count, MPI_Datatype type)
{
	int size = 0;

	if (count <= 0 || type == mpi.handles.no_type ||
	    mpi.functions.Type_size(type, &size) || size < 0)
		return 0;
	return (uint64_t)count * (uint64_t)size;
}

void mpi_sent(struct mpi_call *call, int peer, int count, MPI_Datatype type)
{
	(void)call;
	if (peer >= 0)
		note_sent(mpi_bytes(count, type));
}

void mpi_sent_to(struct mpi_call *call, int peer, int count, MPI_Datatype type)
{
	(void)call;
	if (peer >= 0)
		note_apart(NULL, peer, note_sent, mpi_bytes(count, type));
}

void mpi_got(struct mpi_call *call, int peer, int count, MPI_Datatype type)
{
	(void)call;
	if (peer >= 0)
		note_received(mpi_bytes(count, type));
}

/* False: it was cancelled, or there was nobody to send it. */
static bool read_status(const MPI_Status *status, uint64_t *ret_bytes)
{
	int cancelled = 0, count = 0;

	if (status->MPI_SOURCE < 0 || mpi.functions.Test_cancelled(status, &cancelled) ||
	    cancelled || mpi.functions.Get_count(status, mpi.handles.byte, &count))
		return false;
	*ret_bytes = count == MPI_UNDEFINED || count < 0 ? 0 : (uint64_t)count;
	return true;
}

void mpi_received(struct mpi_call *call, int source, const MPI_Status *status)
{
	uint64_t bytes;

	if (!read_status(status, &bytes))
		return;
	if (source >= 0 && call->opened & MPI_OPENED_PEER)
		note_received(bytes);
	else
		note_apart(NULL, status->MPI_SOURCE, note_received, bytes);
}

void mpi_note_sent(const struct mpi_name *comm, int peer, uint64_t bytes)
{
	if (peer >= 0)
		note_apart(comm, peer, note_sent, bytes);
}

void mpi_note_received(const struct mpi_name *comm, const MPI_Status *status)
{
	uint64_t bytes;

	if (read_status(status, &bytes))
		note_apart(comm, status->MPI_SOURCE, note_received, bytes);
}

void mpi_shared(int root, const void *buffer, int count, MPI_Datatype type)
{
	if (root >= 0 && buffer != MPI_IN_PLACE)
		note_shared(mpi_bytes(count, type));
}

/* The number of ranks that an operation is among; 0 between two groups. */
static int ranks_of(MPI_Comm comm)
{
	int between = 0, size = 0;

	if (mpi.functions.Comm_test_inter(comm, &between) || between ||
	    mpi.functions.Comm_size(comm, &size))
		return 0;
	return size;
}

void mpi_shared_all(MPI_Comm comm, const void *buffer, int count, MPI_Datatype type)
{
	int ranks = buffer == MPI_IN_PLACE ? 0 : ranks_of(comm);

	if (ranks)
		note_shared((uint64_t)ranks * mpi_bytes(count, type));
}

void mpi_shared_each(MPI_Comm comm, const void *buffer, const int *counts,
		     MPI_Datatype type)
{
	int ranks = buffer == MPI_IN_PLACE ? 0 : ranks_of(comm);
	uint64_t bytes = 0;

	for (int i = 0; i < ranks; i++)
		bytes += mpi_bytes(counts[i], type);
	if (ranks)
		note_shared(bytes);
}

static void say_global(const char *name, int number)
{
	trm_attribute attribute =
		trm_attribute_create(name, TRM_TYPE_INT, RUNTIME_RANK_PROPERTIES);
	const struct trm_value value = trm_value_int(number);

	trm_link_.api->set(attribute, &value);
}

void mpi_initialised(void)
{
	const struct runtime_outside *runtime;
	int rank, size;

	if (mpi.functions.Comm_rank(mpi.handles.world, &rank) ||
	    mpi.functions.Comm_size(mpi.handles.world, &size))
		return;
	runtime = outside_find();
	if (runtime)
		runtime->rank((uint32_t)rank);
	say_global("mpi.rank", rank);
	say_global("mpi.size", size);
}
