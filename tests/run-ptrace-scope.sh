#!/bin/bash
# Runs programs measured by an ordinary user where kernel.yama.ptrace_scope is 1, in a virtual
# machine: many machines have no Yama. Not part of ./bootstrap check: it needs packages for it.
#
#     apt-get install --no-install-recommends qemu-system-x86 linux-image-cloud-amd64 \
#             busybox-static cpio
#     tests/run-ptrace-scope.sh [TRAMMEL [KERNEL]]
set -eu

trammel=$(realpath "${1:-build/src/cli/trammel}")
kernel=${2:-$(ls /boot/vmlinuz-*-cloud-amd64 | tail -1)}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$folder/root

mkdir -p "$root"/{bin,proc,sys,dev,tmp,home,usr/bin}
cp /bin/busybox "$root/bin/"
cp "$trammel" "$root/bin/trammel"
for program in gzip setpriv bash xz lua5.4; do
	cp "$(command -v $program)" "$root/usr/bin/"
done
for file in "$root"/bin/trammel "$root"/usr/bin/*; do
	ldd "$file" | grep -o '/[^ ]*'
done | sort -u | while read -r library; do
	mkdir -p "$root$(dirname "$library")"
	cp -L "$library" "$root$library"
done
seq 300000 > "$root/tmp/text"
cat > "$root/init" <<'END'
#!/bin/busybox sh
B=/bin/busybox
$B mount -t proc proc /proc
$B mount -t devtmpfs dev /dev
$B chmod 777 /tmp /home
export HOME=/home PATH=/usr/bin:/bin
user="/usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups"
cd /tmp
for scope in 0 1; do
	echo $scope > /proc/sys/kernel/yama/ptrace_scope
	for command in "gzip -6nc text" "xz -T2 -1 -c text" \
		"lua5.4 -e 'print(#string.rep([[x]], 999))'" \
		"bash -c 'for i in 1 2 3; do echo \$i | gzip -c | gzip -dc; done'"; do
		for measure in functions edges; do
			eval "$user $command" > bare; bare=$?
			run="/bin/trammel run -q -m $measure -o /home/p.trm --"
			eval "$user $run $command" > measured
			status=$?
			right=FAIL
			$B cmp -s bare measured && [ $bare = $status ] &&
				/bin/trammel report /home/p.trm > report &&
				$B grep -q "functions executed" report && right=ok
			is=$($B cat /proc/sys/kernel/yama/ptrace_scope)
			echo "$right scope $is, $measure: $command"
			$B rm -f /home/p.trm
		done
	done
done
$B poweroff -f
END
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc 2> /dev/null | gzip -1) > "$folder/initrd"
timeout 300 qemu-system-x86_64 -cpu max -smp 2 -m 1024 -nographic -no-reboot \
	-kernel "$kernel" -initrd "$folder/initrd" -append "console=ttyS0 quiet panic=1" \
	< /dev/null > "$folder/log" 2>&1 || true
grep -a -o -E "(ok|FAIL) scope .*" "$folder/log" | tr -d '\r' || true
passed=$(grep -a -c -E "ok scope" "$folder/log" || true)
echo "$passed passed, $((16 - passed)) failed"
[ "$passed" = 16 ]
