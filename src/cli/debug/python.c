#include "cli/debug/python.h"

#include "base/cleanup.h"
#include "debug/frames.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What python3 runs: messages are those of debug/frames.h. Ctrl-C is for a script, but
 * not between a message's begin and its end. */
static const char script[] =
	"import signal, socket, struct, sys, traceback\n"
	"ends = socket.socket(fileno=int(sys.argv[1]))\n"
	"def take(size):\n"
	"    data = b''\n"
	"    while len(data) < size:\n"
	"        more = ends.recv(size - len(data))\n"
	"        if not more:\n"
	"            sys.exit(0)\n"
	"        data += more\n"
	"    return data\n"
	"def receive():\n"
	"    kind, size = struct.unpack('<cI', take(5))\n"
	"    return kind, take(size).decode(errors='replace')\n"
	"def send(kind, text):\n"
	"    data = text.encode()\n"
	"    ends.sendall(struct.pack('<cI', kind, len(data)) + data)\n"
	"class Debugger:\n"
	"    'The program that is debugged, by commands of the prompt.'\n"
	"    def execute(self, command):\n"
	"        'Does a command and returns what it says.'\n"
	"        before = signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
	"        send(b'l', command)\n"
	"        kind, text = receive()\n"
	"        signal.signal(signal.SIGINT, before)\n"
	"        if kind == b'e':\n"
	"            raise EOFError('there is nothing left to debug')\n"
	"        return text\n"
	"    def value(self, expression):\n"
	"        'Returns the value of an expression, as print has it.'\n"
	"        text = self.execute('print ' + expression)\n"
	"        try:\n"
	"            return int(text.split()[0])\n"
	"        except (IndexError, ValueError):\n"
	"            raise ValueError(text.strip()) from None\n"
	"    def registers(self):\n"
	"        'Returns the registers of the thread by name.'\n"
	"        rows = [line.split() for line in "
	"self.execute('registers').splitlines()]\n"
	"        return {row[0]: int(row[1], 16) for row in rows if len(row) > 1}\n"
	"    def read(self, address, size):\n"
	"        'Returns bytes of memory.'\n"
	"        text = self.execute('x /%dxb 0x%x' % (size, address)) if size else ''\n"
	"        words = [word for line in text.splitlines() for word in "
	"line.split()[1:]]\n"
	"        try:\n"
	"            return bytes(int(word, 16) for word in words)\n"
	"        except ValueError:\n"
	"            raise ValueError(text.strip()) from None\n"
	"names = {'__name__': '__main__', 'debug': Debugger()}\n"
	"try:\n"
	"    import trammel\n"
	"    names['trammel'] = trammel\n"
	"except ImportError:\n"
	"    pass\n"
	"signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
	"while True:\n"
	"    kind, code = receive()\n"
	"    try:\n"
	"        signal.signal(signal.SIGINT, signal.default_int_handler)\n"
	"        exec(compile(code, '<prompt>', 'single' if kind == b'l' else 'exec'), "
	"names)\n"
	"    except SystemExit:\n"
	"        pass\n"
	"    except BaseException as error:\n"
	"        trace = error.__traceback__.tb_next if error.__traceback__ else None\n"
	"        traceback.print_exception(type(error), error, trace, file=sys.stdout)\n"
	"    signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
	"    sys.stdout.flush()\n"
	"    send(b'p', '')\n";

const char *python_code(const char *line)
{
	const char *word = line + strspn(line, " \t");
	const size_t length = strcspn(word, " \t");

	if ((length != 6 || strncmp(word, "python", 6) != 0) &&
	    (length != 2 || strncmp(word, "py", 2) != 0))
		return NULL;
	return word + length + strspn(word + length, " \t");
}

static struct trm_error *start_python(struct python *python)
{
	char number[16];
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return trm_error_system(errno, "cannot make a socket");
	fflush(NULL);
	python->pid = fork();
	if (!python->pid) {
		fcntl(ends[1], F_SETFD, 0);
		snprintf(number, sizeof(number), "%d", ends[1]);
		execlp("python3", "python3", "-c", script, number, NULL);
		_exit(127);
	}
	close(ends[1]);
	python->fd = ends[0];
	if (python->pid > 0)
		return NULL;
	python->pid = 0;
	close(ends[0]);
	return trm_error_system(errno, "cannot start a process");
}

/* The next message; 0: there is none any more. */
static int next_message(struct python *python, struct text *message)
{
	char bytes[4096];
	ssize_t n;
	int kind;

	while (!(kind = frames_take(&python->input, message))) {
		n = read(python->fd, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		text_add_bytes(&python->input, bytes, (size_t)n);
	}
	return kind;
}

static bool answer_python(struct python *python, const char *command,
			  python_execute *execute, void *context)
{
	struct text answer = {0};
	const bool there = execute(context, command, &answer);
	const bool sent =
		frames_send(python->fd, there ? FRAME_TEXT : FRAME_END,
			    answer.data ? answer.data : "", there ? answer.length : 0);

	text_deinit(&answer);
	return sent;
}

struct trm_error *python_run(struct python *python, const char *code, bool whole,
			     python_execute *execute, void *context)
{
	struct text message = {0};
	int kind = 0;

	if (!python->pid)
		TRM_TRY(start_python(python));
	if (frames_send(python->fd, whole ? FRAME_TEXT : FRAME_LINE, code, strlen(code)))
		while ((kind = next_message(python, &message)) == FRAME_LINE)
			if (!answer_python(python, message.data, execute, context))
				break;
	text_deinit(&message);
	if (kind == FRAME_PROMPT)
		return NULL;
	python_deinit(python);
	return trm_error_create(TRM_ERROR_UNSUPPORTED,
				"python3 has ended, or cannot be run");
}

void python_deinit(struct python *python)
{
	if (!python->pid)
		return;
	close(python->fd);
	while (waitpid(python->pid, NULL, 0) < 0 && errno == EINTR)
		;
	text_deinit(&python->input);
	*python = (struct python){0};
}
