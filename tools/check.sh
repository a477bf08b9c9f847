# The verbs check and fuzz of bootstrap, which reads this: what is tested, in which steps.
# shellcheck shell=bash

### steps ###

# summary_of LOG: the numbers of a line "N passed, N failed[, N skipped]" at its end, or nothing.
summary_of() {
	tail -n 1 "$1" |
		sed -nE 's/^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?.*$/\1 \2 \4/p'
}

begin_steps() {
	mkdir -p "$LOGS"
	: >"$LOGS/results"
}

# command_of COMMAND...: a line for the shell that does it, with the variables it is given.
command_of() {
	local variable
	for variable in "${!TRAMMEL_@}"; do
		printf '%s=%q ' "$variable" "${!variable}"
	done
	printf '%q ' "$@"
}

# step NAME COMMAND...: runs one step, prints a line for it with its seconds, and adds its numbers
# to those that check_end counts. A step whose log ends with "N passed, N failed" counts as so many
# tests; any other is one. Steps may run side by side: what each prints comes at its end, at once.
step() {
	local name=$1 begin=$SECONDS status log numbers passed failed skipped processor
	local TIMEFORMAT='%U %S'
	shift
	log=$LOGS/${name// /-}
	command_of "$@" >"$log.command"
	echo "$1" >"$log.function"
	{ time "$@" >"$log.log" 2>&1 </dev/null; } 2>"$log.time"
	status=$?
	processor=$(awk '{ printf "%d", $1 + $2 }' "$log.time")
	numbers=$(summary_of "$log.log")
	read -r passed failed skipped <<<"${numbers:-0 0 0}"
	if [ -z "$numbers" ]; then
		[ $status = 0 ] && passed=1 || failed=1
	elif [ $status != 0 ] && [ "$failed" = 0 ]; then
		failed=1
	fi
	echo "$passed $failed ${skipped:-0} $name" >>"$LOGS/results"
	{
		if [ -n "$numbers" ]; then
			sed 's/^/    /' "$log.log"
		elif [ "$failed" != 0 ]; then
			tail -n 40 "$log.log" | sed 's/^/    /'
		fi
		[ "$failed" = 0 ] && printf 'ok   %s' "$name" || printf 'FAIL %s' "$name"
		printf ' (%d s, processors %d s)' $((SECONDS - begin)) "$processor"
		[ "$failed" = 0 ] && echo || echo ": ${log#"$TOP"/}.log"
	} >"$log.out"
	flock "$LOGS/results" cat "$log.out"
	[ "$failed" = 0 ]
}

check_format() {
	local files
	mapfile -t files < <(tools/source-files .c .h .cc)
	clang-format --dry-run -Werror "${files[@]}"
}

# Each header by itself with gcc, and all together with clang.
check_headers() {
	local header all=
	{
		for header in $(find include -name '*.h' | sort); do
			echo "gcc -std=c11 -x c -include $header"
			echo "gcc -std=c++11 -x c++ -include $header"
			all+=" -include $header"
		done
		echo "clang -std=c11 -x c$all"
		echo "clang -std=c++11 -x c++$all"
	} | xargs -P "$JOBS" -I COMPILE sh -xc \
		'COMPILE -pedantic -Wall -Wextra -Werror -Iinclude -fsyntax-only /dev/null'
}

# Functions of more than 70 lines, 7 parameters, or 4 levels, those of macros too; by clang-tidy.
# tools/check-sizes sees what is not in macros.
check_functions() {
	local files options
	options='{Checks: "-*,readability-function-size", WarningsAsErrors: "*", CheckOptions: [
		{key: readability-function-size.LineThreshold, value: 72},
		{key: readability-function-size.StatementThreshold, value: 800},
		{key: readability-function-size.ParameterThreshold, value: 7},
		{key: readability-function-size.NestingThreshold, value: 4}]}'
	mapfile -t files < <(tools/source-files .c | grep '^src/' | grep -v '^src/resident/')
	printf '%s\0' "${files[@]}" |
		xargs -0 -n 4 -P "$JOBS" clang-tidy -p "$BUILD-clang" --quiet --config="$options"
}

# tests FOLDER: meson's tests, with our kind of last line.
tests() {
	local status out
	meson test -C "$1" --print-errorlogs
	status=$?
	out=$(tail -n 20 "$1/meson-logs/testlog.txt")
	awk -v status=$status '
		/^(Ok|Expected Fail):/ { passed += $NF }
		/^(Fail|Unexpected Pass|Timeout):/ { failed += $NF }
		/^Skipped:/ { skipped += $NF }
		END {
			if (status && !failed || !passed && !failed) failed = 1
			printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
			exit failed > 0
		}' <<<"$out"
}

# One build for all that takes clang: its warnings, its sanitizers, and the fuzzers. Lines are all
# that these tell of; more takes half as long again to link.
# lld links these in a fifth of the time. It begins first: its tests are the longest chain of steps.
check_clang() {
	CC=clang compile "$BUILD-clang" -Db_sanitize=address,undefined -Db_lundef=false \
		-Doptimization=0 -Dfuzzers=true -Dc_args=-gline-tables-only \
		-Dc_link_args=-fuse-ld=lld
}

export ASAN_OPTIONS=abort_on_error=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

# The tracer as it runs: it may leak at its end, as all programs may.
sanitized() {
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 BUILD=$BUILD-clang programs "$@"
}

# programs [OPTION...], real [OPTION...], context [OPTION...]: small programs, those of Debian, and
# those that annotate themselves; bare and measured.
programs() {
	tests/run-programs.py --build "$BUILD" --jobs "$MORE_JOBS" "$@"
}

real() {
	tests/run-real.py --build "$BUILD" --jobs "$MORE_JOBS" "$@"
}

context() {
	tests/run-context.py --build "$BUILD" --jobs "$MORE_JOBS" "$@"
}

# What one-line probes find, against what programs say that they must.
probes() {
	tests/run-probes.py --trammel "$BUILD/src/cli/trammel" --jobs "$MORE_JOBS" "$@"
}

# Samples of programs that spend known shares of their time.
samples() {
	tests/run-samples.py --trammel "$BUILD/src/cli/trammel" "$@"
}

# What threads do and wait for, of programs that say it of themselves.
stacks() {
	tests/run-stacks.py --trammel "$BUILD/src/cli/trammel" "$@"
}

# Programs measured by programs: the library, its engine, and what happens when one of them fails.
control() {
	tests/run-control.py --build "$BUILD" "$@"
}

# Programs on other hosts: network namespaces with an sshd each, and agents behind commands.
far() {
	tests/run-far.py --build "$BUILD" "$@"
}

# A gdb, and the prompt of trammel debug, on measured programs.
debugging() {
	tests/run-debug.py --trammel "$BUILD/src/cli/trammel" "$@"
}

# The examples of docs/queries.md.
queries() {
	tests/run-queries.py --trammel "$BUILD/src/cli/trammel" "$@"
}

# What `trammel advise` says of programs that each rule is about.
advise() {
	tests/run-advise.py --trammel "$BUILD/src/cli/trammel" "$@"
}

# What exports hold, against reports; imports.
exports() {
	tests/run-exports.py --build "$BUILD" --jobs "$MORE_JOBS" "$@"
}

# Values of instructions against single steps.
values() {
	tests/run-values.py --trammel "$BUILD/src/cli/trammel" "$@"
}

# Programs with upcalls, and unmodified ones with an object that makes them.
upcalls() {
	tests/run-upcalls.py --build "$BUILD" --jobs "$MORE_JOBS" "$@"
}

sanitized_upcalls() {
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 BUILD=$BUILD-clang upcalls --sanitize "$@"
}

# The page of `trammel page`, in Chromium.
pages() {
	tests/run-page.py --trammel "$BUILD/src/cli/trammel" "$@"
}

# What the tools that come with trammel print, against computations of their own.
tools() {
	tests/run-tools.py --build "$BUILD" --jobs "$MORE_JOBS" "$@"
}

# Short programs of many runtimes, with four measurements each, cold and warm.
matrix() {
	tests/run-matrix.py --build "$BUILD" --jobs "$JOBS" "$@"
}

# failure MEASURE...: these tests wait most of their time.
failure() {
	tests/run-failure.py --build "$BUILD" --jobs $((2 * JOBS)) --measure "$@"
}

# side_by_side FUNCTION...: runs them all, in the order given, several at once.
side_by_side() {
	local queue
	rm -rf "$LOGS/taken" && mkdir "$LOGS/taken"
	for ((queue = 0; queue < QUEUES; queue++)); do
		take_steps "$@" &
	done
	wait
}

# take_steps FUNCTION...: runs those that no other queue has taken.
take_steps() {
	local function
	for function; do
		! mkdir "$LOGS/taken/$function" 2>/dev/null || "$function"
	done
}

steps_source() {
	step words tools/check-words
	step layers tools/check-layers
	step sizes tools/check-sizes
	step documents tools/check-docs
	step format check_format
	step headers check_headers
}

steps_unit() {
	step calls tools/check-calls "$BUILD"
	step resident tools/check-resident "$BUILD/src/resident/resident.elf"
	step "unit tests" tests "$BUILD"
}

steps_clang() {
	step "build with clang" check_clang && {
		step "unit tests with sanitizers" tests "$BUILD-clang" &&
			step "programs with sanitizers" sanitized \
				--filter '[!agw]*' 'a[!t]*' 'wa*' 'wid*' \
				'attach-[ei]*' 'window-[ei]*'
		step "upcalls with sanitizers" sanitized_upcalls
		# The same inputs each time: what is new is looked for by the verb fuzz.
		step fuzz run_fuzzers "${FUZZ_SECONDS:-1}" -seed=1 -runs=100000
	}
}

steps_failure() {
	step failure failure functions
}

steps_exact() {
	step "exact counts" tests/run-exactness.py --trammel "$BUILD/src/cli/trammel"
}

# Each program once, and with the measurements that are most different from each other.
steps_functions() {
	step programs programs
}

steps_calls() {
	TRAMMEL_LOOK_US=300 TRAMMEL_REPLAN=always \
		step "programs, calls" programs --measure calls
}

steps_edges() {
	TRAMMEL_REPLAN=always TRAMMEL_LAZY=always \
		step "programs, edges" programs --measure edges \
		--filter 'c*' 'dl*' 'f*' 'l*' 'thr*' 'attach-e*' 'window-*'
}

steps_graph() {
	step "programs, callgraph" programs --measure callgraph \
		--filter 'c*' 'e*' 'f*' 'l*' 's*' 't*' 'v*' 'attach-e*' 'window-*'
	step "programs, spans" programs --measure spans --no-profile
}

steps_points() {
	step "programs, memory" programs --measure memory \
		--filter 'sig*' 'timer_[js]*' 'exc*' 'lo*' 'cold_p*' 'fork_[ht]*' 'fa*' 'attach-e*'
	step "programs, memory and spans" programs --measure memory,spans --no-profile \
		--filter 'steps_itself*'
	step "programs, empty tool" programs --tool tests/tools/empty.c \
		--filter 'exceptions' 'fork_hot' 'heap_grows-static' 'lazy_filter*' 'longjmp' \
		'overflow_t*' 'remap_code' 'signals_nested' 'threads_many-static' 'timer_jumps'
	step "programs, paths" programs --measure paths \
		--filter 'signals_*' 'exceptions' 'longjmp*' 'odd_path' 'fork_tree' 'flags*'
	step "programs, waits" programs --measure waits --no-profile \
		--filter 'signals_[ino]*' 'stop_*' 'timeouts' 'vfork*' 'seccomp_e*' 'fork_tree' \
		'terminal-st*' 'timer_jumps'
}

steps_probes() {
	step probes probes
}

steps_samples() {
	step samples samples
}

steps_stacks() {
	step stacks stacks
}

steps_debugging() {
	step debug debugging
	step control control
	step far far
}

steps_values() {
	step values values
}

steps_upcalls() {
	step upcalls upcalls
}

steps_exports() {
	step exports exports
}

steps_advise() {
	step advise advise
	step queries queries
}

steps_page() {
	step page pages
}

steps_tools() {
	step tools tools
}

steps_context() {
	step context context --filter '[!r]*'
}

steps_real() {
	step "real, blocks" real --measure blocks
	step "real, mapped" real --mapped --filter 'mapped-[blps]*' 'mapped-g[iz]*' 'mapped-curl'
}

# The other measurements, and tests that take long.
check_more() {
	step "programs with sanitizers, more" sanitized \
		--filter 'g*' 'attach-[!ei]*' 'window-[!ei]*'
	step "exact counts, more" tests/run-exactness.py --trammel "$BUILD/src/cli/trammel" \
		--only "edges of branches-shared"
	step "programs, blocks" programs --measure blocks
	TRAMMEL_REPLAN=always TRAMMEL_LAZY=always \
		step "programs, edges, more" programs --measure edges --filter 'attach-[!e]*'
	step "programs, callgraph, more" programs --measure callgraph --filter 'attach-[!e]*'
	TRAMMEL_LOOK_US=300 TRAMMEL_REPLAN=always \
		step "programs, fired" programs --measure block-coverage \
		--filter 'c*' 'e*' 'f*' 'h*' 's*' 't*' 'v*'
	step "programs, regions" programs --measure regions --no-profile
	step "programs, tool" programs --measure functions,tool --no-profile \
		--filter 'seccomp*' 'system_call*' 'exec*' 'vfork*' 'own_places*' 'gs_*'
	step "programs, empty tool, more" programs --tool tests/tools/empty.c
	step "upcalls, emacs" upcalls --filter preload-emacs --rounds 60
	check_together
	step "context, ranks" context --filter 'r*'
	check_killed
	step real real
	step "real, mapped, more" real --mapped
	TRAMMEL_LOOK_US=1000 step "real, fired" real --measure block-coverage
	TRAMMEL_LOOK_US=1000 step "real, calls" real --measure calls
	step "far, delay" far --only delay
	step "far, loss" far --only loss
	step matrix matrix --small
	step functions check_functions
	step packages check_packages
	step 'control, pip' control --pip
}

# Several measurements of one run.
check_together() {
	step "programs, all" programs --measure blocks,calls \
		--filter 'sig*' 'call*' 'thr*' 'attach-e*' 'window-e*'
	step "programs, all with contexts" programs --measure edges,callgraph \
		--filter 'sig*' 'call*' 'cont*' 'thr*' 'attach-w*'
	step "programs, call sites and contexts" programs --measure calls,callgraph \
		--filter 'sig*' 'call*' 'cont*' 'attach-w*'
	step "programs, spans and edges" programs --measure edges,spans \
		--filter 'sig*' 'exc*' 'go_program*' 'thr*'
	step "programs, phases" programs --measure edges,phases \
		--filter 'sig*' 'fork_[ho]*' 'thr*' 'lo*' 'co*' 'vf*' 'calls_d*'
	step "programs, spans and calls" programs --measure calls,callgraph,spans --no-profile \
		--filter 'sig*' 'exc*' 'go_program*' 'thr*' 'co*'
}

# Tracers that are killed, beside those of check_measured with functions.
check_killed() {
	step "killed, blocks" failure blocks --filter 'killed-*'
	# The longest of them is left to the others.
	TRAMMEL_LOOK_US=300 step "killed, calls" failure calls \
		--filter 'killed-[!t]*' 'killed-tracer_[!o]*' 'killed-tracer_of_[!p]*'
	TRAMMEL_LOOK_US=300 step "killed, fired" failure block-coverage \
		--filter 'killed-tracer_of_[ps]*'
	# Threads share a tree then.
	step "killed, callgraph" failure callgraph --filter 'killed-tracer_of_[st]*'
	step "killed, spans" failure spans \
		--filter 'killed-tracer_of_[bst]*' 'killed-tracer_p*'
	# All hundred times.
	TRAMMEL_KILLS=all step "killed, databases" failure functions \
		--filter 'daemon-killed' 'database-killed*'
}

verb_check() {
	local installing
	case ${1-} in
	all | "") ;;
	*)
		say "bootstrap: check '$1': 'all' or nothing is expected"
		return 2
		;;
	esac
	install build demo check || return 4
	begin_steps
	bring_page
	# What only tests run is installed while others build.
	install test ${1+all deb} &
	installing=$!
	steps_source &
	# Lines are all that tests want of debug information: more takes a fifth longer.
	step build compile "$BUILD" -Dc_args=-g1
	wait $installing || return 4
	if [ -x "$BUILD/src/cli/trammel" ]; then
		# What takes longest, and what waits longest, begins first.
		side_by_side steps_clang steps_samples steps_context steps_failure steps_unit \
			steps_exact steps_functions steps_real steps_exports steps_stacks \
			steps_values steps_upcalls steps_tools steps_calls steps_edges \
			steps_graph steps_points steps_page steps_probes steps_advise \
			steps_debugging
		[ "${1-}" != all ] || check_more
	fi
	wait
	again 3>&1
	check_end
}

# Functions whose tests have names that CHECK_TESTS may have: see tests/transparency/results.py.
NAMED="programs sanitized real context samples stacks control far debugging advise exports values
pages upcalls sanitized_upcalls tools failure"

# again: what failed is run twice more when all is quiet, if it is not much: a fault comes back,
# what a machine that held tests up did wrong does not. That is told, and counted as passed.
again() {
	local passed failed skipped name log names function
	[ "$(awk '{ failed += $2 } END { print failed + 0 }' "$LOGS/results")" -le 5 ] || return
	while read -r passed failed skipped name; do
		log=$LOGS/${name// /-}
		read -r function <"$log.function"
		names=$(sed -nE 's/^ *FAIL(ED)? +([^ :]+).*/\2/p' "$log.log")
		if [ "$failed" != 0 ] && [ "$(wc -w <<<"$names")" = "$failed" ] &&
			[[ " ${NAMED//$'\n'/ } " == *" $function "* ]] &&
			passes_twice "$log" "$names"; then
			printf 'again: %s: failed, and passed twice by itself: %s\n' \
				"$name" "${names//$'\n'/ }" >&3
			grep FAIL "$log.log" | cut -c -300 | sed 's/^/    /' >&3
			passed=$((passed + failed)) failed=0
		fi
		echo "$passed $failed $skipped $name"
	done <"$LOGS/results" >"$LOGS/results.again"
	mv "$LOGS/results.again" "$LOGS/results"
}

# passes_twice LOG NAMES: whether these tests of a step pass twice.
passes_twice() {
	local round
	for round in 1 2; do
		(CHECK_TESTS=$2 && export CHECK_TESTS && eval "$(cat "$1.command")") \
			>"$1.again.$round" 2>&1 </dev/null &&
			[[ $(summary_of "$1.again.$round") == "$(wc -w <<<"$2") 0"* ]] || return 1
	done
}

# check_end: says once more what failed, as a long output may be shown only in part; then the sum
# over all steps.
check_end() {
	local failed skipped name totals
	while read -r _ failed skipped name; do
		[ "$failed" != 0 ] || continue
		printf 'failed: %s\n' "$name"
		grep -E -B 4 -A 16 'FAIL|ERROR' "$LOGS/${name// /-}.log" | head -n 60 |
			cut -c -300 | sed 's/^/    /'
	done <"$LOGS/results"
	totals=$(awk '{ passed += $1; failed += $2; skipped += $3 }
		END {
			printf "%d passed, %d failed", passed, failed
			if (skipped) printf ", %d skipped", skipped
		}' "$LOGS/results")
	echo "$totals"
	[[ $totals == *' passed, 0 failed'* ]]
}

### fuzz ###

# run_fuzzer NAME SECONDS [OPTION...]: new inputs go to the build folder; the corpus is only read.
run_fuzzer() {
	local corpus=fuzz/corpus/${1%_fuzz} found=$BUILD-clang/found-$1
	mkdir -p "$found"
	if "$BUILD-clang/fuzz/$1" -max_total_time="$2" -max_len=65536 -timeout=10 \
		-rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$found/" "${@:3}" \
		"$found" "$corpus" >"$found.log" 2>&1; then
		sed -n "s/^stat::number_of_executed_units: */ok   $1: runs: /p" "$found.log"
	else
		tail -n 30 "$found.log"
		echo "FAIL $1"
		return 1
	fi
}

# run_fuzzers SECONDS [OPTION...]: all of them, as many at once as there are processors.
run_fuzzers() {
	local fuzzer started=0 failed=0 total
	for fuzzer in fuzz/*_fuzz.c; do
		[ $((started++)) -lt "$JOBS" ] || wait -n || : $((failed++))
		run_fuzzer "$(basename "$fuzzer" .c)" "$@" &
	done
	total=$started
	for ((; started > 0 && started > total - JOBS; started--)); do
		wait -n || : $((failed++))
	done
	echo "$((total - failed)) passed, $failed failed"
	[ $failed = 0 ]
}

verb_fuzz() {
	local seconds=${1:-60}
	case $seconds in
	*[!0-9]* | "")
		say "bootstrap: fuzz '$seconds': a number of seconds is expected"
		return 2
		;;
	esac
	install build check || return 4
	begin_steps
	step "build with clang" check_clang && step fuzz run_fuzzers "$seconds"
	check_end
}

