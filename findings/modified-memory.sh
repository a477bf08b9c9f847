#!/bin/bash
# valgrind 3.19.0-1 (Debian 12): an instruction that reads and writes one word (addq $1, word) is
# one read to cachegrind, one write to callgrind, and one of each to lackey. With a lock prefix,
# and for xchg, which locks without one, all three add a read that the processor does not make.
#
# Both cache simulators count one access where the same address is read and then written, but they
# put it on opposite sides: Dr of the one is not Dr of the other, and the sum Dr + Dw alone can be
# compared. A locked instruction is translated to a load and a compare-and-swap of what was loaded:
# a load (L) and a modification (M) in lackey's trace, so that atomic counters, reference counts
# and mutexes have twice the accesses, with one cache hit more for each. cmpxchg is the exception,
# the same with the prefix as without, whether it stores or not. Exact counts of loads and stores
# cannot be checked against these tools where there are atomic instructions.
#
# Seen, of 1,000 executions:
#                  cachegrind Dr, Dw   callgrind Dr, Dw   lackey's loads, stores
#   addq           1,000   0           0       1,000      1,000   1,000
#   xadd           1,000   0           0       1,000      1,000   1,000
#   lock addq      2,000   0           1,000   1,000      2,000   1,000
#   lock xadd      2,000   0           1,000   1,000      2,000   1,000
#   xchg           2,000   0           1,000   1,000      2,000   1,000
#   lock cmpxchg   1,000   0           0       1,000      1,000   1,000
# Fails (status 1) if that changes.
set -u
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 2
apt-get download valgrind=1:3.19.0-1 >/dev/null 2>&1 || { echo "cannot download valgrind"; exit 2; }
for file in *.deb; do dpkg-deb -x "$file" root || exit 2; done
export VALGRIND_LIB=$folder/root/usr/libexec/valgrind

# simulated OPTION...: reads and writes of data, as one of the cache simulators counts them.
simulated() {
	root/usr/bin/valgrind "$@" ./program 2>&1 |
		sed -n 's/.*D *refs:.*( *\(.*\) rd *+ *\(.*\) wr).*/\1 \2/p'
}

# counted: loads and stores of 8 bytes, as lackey counts them.
counted() {
	root/usr/bin/valgrind --tool=lackey --basic-counts=no --detailed-counts=yes ./program 2>&1 |
		awk '$2 == "I64" { print $3, $4 }'
}

# check INSTRUCTION WANTED: measures a program that executes it 1,000 times.
check() {
	local seen
	cat >program.s <<-END
		.globl _start
		_start:	mov \$1000, %ecx
			lea word(%rip), %rdi
		1:	$1
			dec %ecx
			jnz 1b
			mov \$60, %eax
			xor %edi, %edi
			syscall
		.bss
		.balign 64
		word:	.quad 0
	END
	gcc -nostdlib -static -o program program.s || exit 2
	seen="$(simulated --tool=cachegrind --cachegrind-out-file=/dev/null)"
	seen="$seen $(simulated --tool=callgrind --cache-sim=yes --callgrind-out-file=/dev/null)"
	seen="$seen $(counted)"
	echo "$1: $seen"
	[ "$seen" = "$2" ] || exit 1
}

plain='1,000 0 0 1,000 1,000 1,000'
locked='2,000 0 1,000 1,000 2,000 1,000'
check 'addq $1, (%rdi)' "$plain"
check 'xadd %rdx, (%rdi)' "$plain"
check 'lock addq $1, (%rdi)' "$locked"
check 'lock xadd %rdx, (%rdi)' "$locked"
check 'xchg %rdx, (%rdi)' "$locked"
check 'lock cmpxchg %rdx, (%rdi)' "$plain"
