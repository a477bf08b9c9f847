/*
 * What wrappers of MPI functions have to see: every way of sending and completing a
 * message, as mpi.py counts them. Run by 8 ranks; what it prints must not depend on
 * whether something measures.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/annotate.h>

static int rank, ranks, next, before;
static int numbers[64], got[64];

static void expect(int condition, const char *what)
{
	if (condition)
		return;
	printf("rank %d: %s\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 3);
}

/* 4 bytes on, and back by any source. */
static void blocking(void)
{
	MPI_Status status;
	int count;

	TRM_REGION("blocking");
	MPI_Sendrecv(numbers, 1, MPI_INT, next, 1, got, 64, MPI_INT, MPI_ANY_SOURCE, 1,
		     MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_INT, &count);
	expect(status.MPI_SOURCE == before && count == 1, "status of MPI_Sendrecv");
	MPI_Sendrecv_replace(got, 1, MPI_INT, before, 2, next, 2, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
	MPI_Send(numbers, 64, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
	MPI_Recv(got, 64, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank % 2 == 0) {
		MPI_Ssend(numbers, 2, MPI_INT, next, 4, MPI_COMM_WORLD);
		MPI_Send(NULL, 0, MPI_INT, next, 5, MPI_COMM_WORLD);
		return;
	}
	MPI_Probe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status);
	expect(status.MPI_SOURCE == before, "status of MPI_Probe");
	MPI_Recv(got, 64, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Message message;

	MPI_Mprobe(before, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
	MPI_Mrecv(got, 64, MPI_INT, &message, MPI_STATUS_IGNORE);
}

enum { MANY = 24 };

static void start(MPI_Request *requests, int count)
{
	for (int i = 0; i < count; i++) {
		MPI_Irecv(&got[i], 1, MPI_INT, i % 2 ? before : MPI_ANY_SOURCE, 10 + i,
			  MPI_COMM_WORLD, &requests[i]);
		MPI_Isend(&numbers[i], 1, MPI_INT, next, 10 + i, MPI_COMM_WORLD,
			  &requests[count + i]);
	}
}

static void nonblocking(void)
{
	MPI_Request requests[2 * MANY], *left = requests;
	MPI_Status status;
	int index, done, indices[8], count = 0, flag = 0;

	TRM_REGION("nonblocking");
	start(requests, MANY);
	MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE);
	start(requests, 1);
	MPI_Wait(&requests[0], &status);
	expect(status.MPI_SOURCE == before, "status of MPI_Wait");
	while (!flag)
		MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
	start(requests, 2);
	for (int i = 0; i < 4; i++) {
		MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
		expect(index >= 0 && index < 4, "index of MPI_Waitany");
	}
	MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
	expect(index == MPI_UNDEFINED, "MPI_Waitany of nothing");
	start(requests, 4);
	while (count < 8) {
		MPI_Waitsome(8, requests, &done, indices, MPI_STATUSES_IGNORE);
		count += done;
	}
	start(left, 3);
	for (flag = 0; !flag;)
		MPI_Testall(6, left, &flag, MPI_STATUSES_IGNORE);
}

static void persistent(void)
{
	MPI_Request requests[2];

	TRM_REGION("persistent");
	MPI_Recv_init(got, 8, MPI_INT, before, 50, MPI_COMM_WORLD, &requests[0]);
	MPI_Send_init(numbers, 8, MPI_INT, next, 50, MPI_COMM_WORLD, &requests[1]);
	for (int i = 0; i < 5; i++) {
		MPI_Startall(2, requests);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	}
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
}

/* A communicator that is gone when its message comes, and one that is cancelled. */
static void communicators(void)
{
	MPI_Comm named, half;
	MPI_Request request;
	int flag;

	TRM_REGION("communicators");
	MPI_Comm_dup(MPI_COMM_WORLD, &named);
	MPI_Comm_set_name(named, "of the test");
	MPI_Irecv(got, 64, MPI_INT, before, 60, named, &request);
	MPI_Send(numbers, 3, MPI_INT, next, 60, named);
	MPI_Comm_free(&named);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Comm_set_name(half, "half");
	MPI_Barrier(half);
	MPI_Comm_free(&half);
	MPI_Irecv(got, 64, MPI_INT, before, 61, MPI_COMM_WORLD, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	flag = MPI_Send(numbers, 1, MPI_INT, ranks + 5, 62, MPI_COMM_WORLD);
	expect(flag != MPI_SUCCESS, "a rank that there is not");
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void collective(void)
{
	int counts[64], places[64], all[64] = {0};
	MPI_Request request;

	TRM_REGION("collective");
	for (int i = 0; i < 64; i++) {
		counts[i] = 1;
		places[i] = i;
	}
	MPI_Bcast(numbers, 4, MPI_INT, 2, MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, got, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	MPI_Reduce(numbers, got, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank)
		MPI_Gather(numbers, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0,
			   MPI_COMM_WORLD);
	else
		MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, 0,
			   MPI_COMM_WORLD);
	MPI_Scatter(numbers, 1, MPI_INT, rank ? got : MPI_IN_PLACE, 1, MPI_INT, 0,
		    MPI_COMM_WORLD);
	MPI_Alltoall(numbers, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Alltoallv(numbers, counts, places, MPI_INT, all, counts, places, MPI_INT,
		      MPI_COMM_WORLD);
	MPI_Reduce_scatter(numbers, got, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Iallgather(numbers, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect(all[ranks - 1] == numbers[0], "what MPI_Iallgather gathered");
	MPI_Barrier(MPI_COMM_WORLD);
}

static void remote(void)
{
	int memory[4] = {rank, 0, 0, 0}, value = rank, read = -1;
	MPI_Win window;

	TRM_REGION("remote");
	MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
		       &window);
	MPI_Win_fence(0, window);
	MPI_Put(&value, 1, MPI_INT, next, 1, 1, MPI_INT, window);
	MPI_Get(&read, 1, MPI_INT, next, 0, 1, MPI_INT, window);
	MPI_Win_fence(0, window);
	expect(read == next && memory[1] == before, "what was put and got");
	MPI_Win_free(&window);
}

/* Requests of two threads at a time. */
static void *exchange(void *argument)
{
	int tag = *(int *)argument, from = -1;
	MPI_Request requests[2];

	TRM_REGION("thread");
	for (int i = 0; i < 20; i++) {
		MPI_Irecv(&from, 1, MPI_INT, before, tag, MPI_COMM_WORLD, &requests[0]);
		MPI_Isend(&rank, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		expect(from == before, "what a thread received");
	}
	return NULL;
}

static void threads(void)
{
	int tags[2] = {100, 101};
	pthread_t thread;

	pthread_create(&thread, NULL, exchange, &tags[0]);
	exchange(&tags[1]);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	next = (rank + 1) % ranks;
	before = (rank + ranks - 1) % ranks;
	for (int i = 0; i < 64; i++)
		numbers[i] = i + 1;
	blocking();
	nonblocking();
	persistent();
	communicators();
	collective();
	remote();
	expect(provided == MPI_THREAD_MULTIPLE, "threads");
	threads();
	if (!rank)
		printf("%d ranks: %d\n", ranks, got[0]);
	if (argc > 1 && rank == ranks - 1)
		exit(atoi(argv[1]));
	MPI_Finalize();
	return 0;
}
