#!/bin/bash
# Capstone 5.0.7 (libcapstone5, python3-capstone 5.0.7-1~deb13u1, Debian 13), cs_regs_access: of
# common instructions registers and flags are missing that they read or write; who computes from
# it what is dead, and puts a probe there, changes what programs calculate. iced-x86 1.21.0 (npm)
# has them, and yet marks flags as written that an instruction may leave as they are.
#
# "What is not in the list is not touched" does not hold: cmpxchg writes nothing, not even flags;
# enter and xlatb neither read nor write anything; cmc, which inverts the carry flag, does not read
# it, nor does rcl; a conditional move does not read its destination; of syscall the kernel's two
# registers are missing; of a gather the mask, which it clears. The list of flags (eflags) and that
# of registers (rflags) disagree, too. iced has "perhaps written" for registers, but not for flags:
# those of a shift by CL, all kept when CL is 0, and of repne scasb, kept when RCX is 0, are in
# rflagsWritten as if they were always set. There, for liveness, only reading the flags first is
# right.
#
# Seen, missing in Capstone and said by iced:
#   cmpxchg [rdi], ecx    writes eax and flags     enter 16, 0   reads, writes rbp and rsp
#   cmc; rcl eax, 1       reads CF                 xlatb         reads rbx, al; writes al
#   cmove eax, ebx        reads eax                syscall       writes rcx, r11
#   adox eax, ebx         reads eax and OF         vpgatherdd    writes its mask
#   pcmpistrm             writes xmm0 and flags    sqrtss        reads its destination
# Seen in iced: shl eax, cl and repne scasb write ZF, while bsf perhaps writes its register
# Fails (status 1) if that changes.
set -u
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 2

# fetch SUITE PACKAGE=VERSION...: from another suite of the mirror that this machine uses.
fetch() {
	local suite=$1 mirror key=/usr/share/keyrings/debian-archive-keyring.gpg
	shift
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
		'Origin: Debian' | grep -v security | head -1)
	mkdir -p lists/partial
	echo "deb [signed-by=$key] $mirror $suite main" >suite.list
	set -- -o Dir::Etc::SourceList="$PWD/suite.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$PWD/lists" -o Dir::State::Status=/dev/null \
		-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -- "$@"
	apt-get "${@:1:12}" update >/dev/null 2>&1
	apt-get "${@:1:12}" download "${@:14}" >/dev/null 2>&1 ||
		{ echo "cannot download ${*:14}"; exit 2; }
}

fetch trixie libcapstone5=5.0.7-1~deb13u1 python3-capstone=5.0.7-1~deb13u1
for file in *.deb; do dpkg-deb -x "$file" root || exit 2; done
echo '{}' >package.json
npm install --no-audit --no-fund --ignore-scripts iced-x86@1.21.0 >/dev/null 2>&1 ||
	{ echo "cannot install iced-x86"; exit 2; }

# A row: bytes, R or W, a register of which Capstone says nothing and iced that it is read or
# written, or a flag.
cat >missing <<'END'
0fb10f W eax
0fb10f W rflags
c8100000 R rbp
c8100000 W rsp
d7 R rbx
d7 W al
f5 R CF
d1d0 R CF
0f44c3 R eax
0f05 W rcx
0f05 W r11
f30f38f6c3 R eax
f30f38f6c3 R OF
c4e26d90048f W ymm2
660f3a62c100 W xmm0
660f3a62c100 W rflags
f30f51c1 R xmm0
END

cat >access.py <<'END'
import capstone
from capstone import x86

decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
decoder.detail = True
flags = {"CF": x86.X86_EFLAGS_TEST_CF, "OF": x86.X86_EFLAGS_TEST_OF}
for line in open("missing"):
    code, access, what = line.split()
    instruction = next(decoder.disasm(bytes.fromhex(code), 0))
    read, written = instruction.regs_access()
    names = {decoder.reg_name(number) for number in (written if access == "W" else read)}
    said = instruction.eflags & flags[what] if what in flags else what in names
    print(code, access, what, "said" if said else "missing", instruction.mnemonic)
END
cat >iced.js <<'END'
const { Decoder, DecoderOptions, InstructionInfoFactory, OpAccess, Register, RflagsBits } =
	require('iced-x86');
const fs = require('fs');
const name = (kinds, value) => Object.keys(kinds).find((key) => kinds[key] === value);
const whole = { eax: 'RAX', al: 'RAX', rbp: 'RBP', rsp: 'RSP', rbx: 'RBX', rcx: 'RCX',
	r11: 'R11', ymm2: 'ZMM2', xmm0: 'ZMM0' };

function info(code) {
	const decoder = new Decoder(64, Buffer.from(code, 'hex'), DecoderOptions.None);
	const instruction = decoder.decode();
	const used = new InstructionInfoFactory().info(instruction).usedRegisters()
		.map((it) => [name(Register, it.register), name(OpAccess, it.access)]);
	return { instruction, used };
}

for (const line of fs.readFileSync('missing', 'utf8').trim().split('\n')) {
	const [code, access, what] = line.split(' ');
	const { instruction, used } = info(code);
	const word = access === 'W' ? 'Write' : 'Read';
	const wide = (register) =>
		register.replace(/^E?([A-D])[XL]$/, 'R$1X').replace(/^[XY]MM/, 'ZMM');
	let said = used.some(([register, how]) =>
		how.includes(word) && wide(register) === whole[what]);
	if (what === 'rflags')
		said = instruction.rflagsModified !== 0;
	else if (what === 'CF' || what === 'OF')
		said = (instruction.rflagsRead & RflagsBits[what]) !== 0;
	console.log(code, access, what, said ? 'said' : 'missing');
}
for (const code of ['d3e0', 'f2ae'])
	console.log(code, (info(code).instruction.rflagsWritten & RflagsBits.ZF) !== 0);
console.log(info('0fbcc3').used.find(([register]) => register === 'RAX')[1]);
END
LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu PYTHONPATH=root/usr/lib/python3/dist-packages \
	python3 access.py >capstone.out || exit 2
node iced.js >iced.out || exit 2
cat capstone.out iced.out
! grep -q ' said ' capstone.out && [ "$(wc -l <capstone.out)" = 17 ] &&
	[ "$(grep -c ' said$' iced.out)" = 17 ] &&
	[ "$(tail -3 iced.out | tr '\n' ' ')" = 'd3e0 true f2ae true CondWrite ' ]
