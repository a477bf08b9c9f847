/*
 * Programs of several ranks that flush channels together: ranks.py. What they print is
 * the same whether anything measures or not, but for what they ask for.
 *
 *     stream   a report of all ranks into a stream of the program's
 *     file     the same from a channel of a manager, into a file
 *     half     the same of the even ranks alone
 *     fork     each rank has a child that ends as it did
 *     queried  queries of its own over all ranks
 *     late     a channel that begins when ranks know each other
 *     loops    one of all ranks, and one of the odd ones, of other lengths
 *     fail     a rank ends before the others
 *     comm     messages in regions of communication: two to the right, one to the left
 */
#include <caliper/CollectiveOutputChannel.h>
#include <caliper/MpiChannelManager.h>
#include <caliper/cali-mpi.h>
#include <caliper/cali.h>
#include <caliper/reader/CalQLParser.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <tuple>

#include <sys/wait.h>
#include <unistd.h>

static int rank, ranks;

/* Rank N does it N + 1 times. */
static void work(void)
{
	int sum = 0, one = 1;

	CALI_MARK_BEGIN("work");
	for (int i = 0; i <= rank; i++) {
		CALI_MARK_BEGIN("part");
		usleep(1000);
		CALI_MARK_END("part");
	}
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CALI_MARK_END("work");
	if (sum != ranks)
		std::cout << "a wrong sum" << std::endl;
}

static void stream(void)
{
	std::shared_ptr<cali::CollectiveOutputChannel> channel;
	std::ostringstream out;
	std::string error;

	std::tie(channel, error) = cali::make_collective_output_channel(
		"runtime-report(profile.mpi,region.count)");
	if (!channel) {
		std::cout << "no channel: " << error << std::endl;
		return;
	}
	channel->start();
	work();
	channel->stop();
	channel->collective_flush(out, MPI_COMM_WORLD);
	if (!rank)
		std::cout << out.str();
	else if (!out.str().empty())
		std::cout << "rank " << rank << " has a report, too" << std::endl;
}

static void file(void)
{
	cali::ConfigManager manager("runtime-report(region.count),event-trace");
	std::shared_ptr<cali::CollectiveOutputChannel> channel =
		cali::CollectiveOutputChannel::from(
			manager.get_channel("runtime-report"));
	cali::OutputStream out;

	if (!channel ||
	    cali::CollectiveOutputChannel::from(manager.get_channel("event-trace"))) {
		std::cout << "no channel, or one too many" << std::endl;
		return;
	}
	out.set_filename("own.txt");
	channel->start();
	work();
	channel->stop();
	channel->collective_flush(out, MPI_COMM_WORLD);
	/* Others would open the file. */
	if (!rank && out.stream()->tellp() <= 0)
		std::cout << "there is no report" << std::endl;
}

static cali::QuerySpec query(const char *text)
{
	const cali::CalQLParser parser(text);

	if (parser.error())
		std::cout << parser.error_msg() << std::endl;
	return parser.spec();
}

static void queried(void)
{
	cali::Channel channel(
		cali::create_channel("queried", 0,
				     {{"CALI_SERVICES_ENABLE", "event,timer,aggregate"},
				      {"CALI_CHANNEL_FLUSH_ON_EXIT", "false"}}));
	std::ostringstream text;
	cali::OutputStream out;
	cali::Caliper caliper;

	out.set_stream(&text);
	work();
	cali::collective_flush(
		out, caliper, channel.body(), cali::SnapshotView(),
		query("select region,sum(region.count) where region group by region "
		      "format cali"),
		query("select region,sum(sum#region.count) as n group by region format "
		      "json"),
		MPI_COMM_WORLD);
	std::cout << text.str();
}

static void half(void)
{
	cali::ConfigManager manager("runtime-report(output=stdout,region.count)");
	MPI_Comm even;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2 ? MPI_UNDEFINED : 0, rank, &even);
	cali::MpiChannelManager members(even);

	members.add(manager);
	members.start();
	work();
	members.stop();
	members.collective_flush();
	if (even != MPI_COMM_NULL)
		MPI_Comm_free(&even);
}

static void child(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		CALI_MARK_BEGIN("child");
		CALI_MARK_END("child");
		std::exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		std::cout << "the child failed" << std::endl;
	work();
}

static void late(void)
{
	cali::ConfigManager manager;

	manager.add("runtime-profile(output=late.json,output.format=json-split)");
	manager.start();
	work();
	manager.flush();
}

static void loop(const char *name, int iterations)
{
	CALI_CXX_MARK_LOOP_BEGIN(loop, name);
	for (int i = 0; i < iterations; i++) {
		CALI_CXX_MARK_LOOP_ITERATION(loop, i);
	}
	CALI_CXX_MARK_LOOP_END(loop);
}

static void loops(void)
{
	loop("all", 40);
	if (rank % 2)
		loop("odd", 3 * rank);
}

static void fail(void)
{
	work();
	if (rank == 3)
		std::exit(5);
}

/* Receives wait for 2 ms. What is sent outside of the region is not of it. */
static void comm(void)
{
	int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
	int from[3][100], to[100] = {0}, one = 1, sum = 0;
	MPI_Request requests[6];

	for (int i = 0; i < 4; i++) {
		MPI_Sendrecv(to, 50, MPI_INT, right, 1, from[0], 50, MPI_INT, left, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		CALI_MARK_COMM_REGION_BEGIN("halo");
		for (int j = 0; j < 3; j++)
			MPI_Irecv(from[j], 100, MPI_INT, j < 2 ? left : right, 2,
				  MPI_COMM_WORLD, &requests[j]);
		for (int j = 0; j < 3; j++)
			MPI_Isend(to, 100, MPI_INT, j < 2 ? right : left, 2,
				  MPI_COMM_WORLD, &requests[3 + j]);
		usleep(2000);
		MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
		MPI_Barrier(MPI_COMM_WORLD);
		CALI_MARK_COMM_REGION_BEGIN("sum");
		MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		CALI_MARK_COMM_REGION_END("sum");
		CALI_MARK_COMM_REGION_END("halo");
	}
	if (sum != ranks)
		std::cout << "a wrong sum" << std::endl;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *word;
		void (*run)(void);
	} words[] = {
		{"work", work},       {"stream", stream}, {"half", half},
		{"queried", queried}, {"loops", loops},   {"fork", child},
		{"file", file},       {"late", late},     {"fail", fail},
		{"comm", comm},
	};

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (const auto &known : words)
		if (argc > 1 && !strcmp(argv[1], known.word))
			known.run();
	MPI_Finalize();
	return 0;
}
