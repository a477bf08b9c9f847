#!/bin/bash
# valgrind 3.19.0-1 (Debian 12), cachegrind and lackey: an instruction with a lock prefix, and
# xchg, which locks without one, reads memory twice where the same one without the prefix reads
# once; cachegrind counts no write for either.
#
# A locked read-modify-write is translated to a load and a compare-and-swap of the value loaded.
# lackey's trace has a load (L) and then a modification (M), where the plain instruction is one M;
# cachegrind and callgrind take an M for one read and no write (that much their manual says), and
# so two reads. Atomic counters, reference counts and mutexes are read twice as often as they are,
# a trace replayed in a simulator of caches has a hit for each of them, and the counts of two
# builds with and without threads differ by it. cmpxchg is the exception: one M with the prefix as
# without it, whether it stores or not. Exact counts of memory accesses cannot be checked against
# either tool where there are atomic instructions.
#
# Seen, of 1,000 executions: data reads, data writes, accesses in lackey's trace
#   addq                 1,000   0   M
#   lock addq            2,000   0   L M
#   xchg                 2,000   0   L M
#   lock xadd            2,000   0   L M
#   xadd                 1,000   0   M
#   lock cmpxchg         1,000   0   M
# Fails (status 1) if that changes.
set -u
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 2
apt-get download valgrind=1:3.19.0-1 >/dev/null 2>&1 || { echo "cannot download valgrind"; exit 2; }
for file in *.deb; do dpkg-deb -x "$file" root || exit 2; done
export VALGRIND_LIB=$folder/root/usr/libexec/valgrind

# measure INSTRUCTION: reads, writes and the kinds of access of a program with 1,000 of it.
measure() {
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
	root/usr/bin/valgrind --tool=cachegrind --cachegrind-out-file=/dev/null ./program 2>&1 |
		sed -n 's/.*D *refs:.*(\(.*\) rd *+ *\(.*\) wr).*/\1 \2/p' | tr -s ' ' | tr '\n' ' '
	root/usr/bin/valgrind --tool=lackey --trace-mem=yes ./program 2>&1 |
		sed -n 's/^ \([LSM]\) .*/\1/p' | sort | uniq -c | awk '{ printf "%s %s ", $2, $1 }'
}

check() {
	local seen
	seen=$(measure "$1")
	echo "$1: $seen"
	[ "$seen" = "$2 " ] || exit 1
}

check 'addq $1, (%rdi)' '1,000 0 M 1000'
check 'lock addq $1, (%rdi)' '2,000 0 L 1000 M 1000'
check 'xchg %rdx, (%rdi)' '2,000 0 L 1000 M 1000'
check 'lock xadd %rdx, (%rdi)' '2,000 0 L 1000 M 1000'
check 'xadd %rdx, (%rdi)' '1,000 0 M 1000'
check 'lock cmpxchg %rdx, (%rdi)' '1,000 0 M 1000'
