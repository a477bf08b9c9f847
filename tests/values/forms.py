"""Writes a program of many forms of instructions, each executed in every round.

A form is a mnemonic with kinds of operands (register, each way of addressing memory, constant)
of one size. What the processor lacks is left out. The registers and the memory begin each round
with one of eight states, so that the values of an instruction repeat.
"""

import itertools

CHUNK = 16  # forms of one function, which begins with loads of the registers
WIDTHS = {"b": ("al", "dl"), "w": ("ax", "dx"), "l": ("eax", "edx"), "q": ("rax", "rdx")}
MEMORY = ["16(%r15)", "24(%r15,%r11,8)", "area+256(%rip)", "area+320", "0x200(%r15,%r11)",
          "%fs:near@tpoff"]
CONDITIONS = ["o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le",
              "g"]


def flags_of_processor():
    with open("/proc/cpuinfo", encoding="ascii") as file:
        for line in file:
            if line.startswith("flags"):
                return set(line.split(":")[1].split())
    return set()


class Forms:
    def __init__(self):
        self.rows = []  # (kind, text)
        self.flags = flags_of_processor()
        self.memory = itertools.cycle(MEMORY[:5])

    def add(self, text, *, need=None):
        if not need or set(need.split()) <= self.flags:
            self.rows.append(text)

    def integer(self):
        for name, (width, (a, b)) in itertools.product(
                ["add", "or", "adc", "sbb", "and", "sub", "xor", "cmp", "test", "mov"],
                WIDTHS.items()):
            self.add(f"{name}{width} %{b}, %{a}")
            self.add(f"{name}{width} $37, %{a}")
            for memory in MEMORY:
                self.add(f"{name}{width} %{b}, {memory}")
                self.add(f"{name}{width} $37, {memory}")
                if name != "test":
                    self.add(f"{name}{width} {memory}, %{a}")
            if name not in ("cmp", "test", "mov"):
                self.add(f"lock {name}{width} %{b}, {next(self.memory)}")

    def shifts(self):
        for name, (width, (a, _)) in itertools.product(
                ["rol", "ror", "rcl", "rcr", "shl", "shr", "sar"], WIDTHS.items()):
            for count in ("$1", "$3", "%cl"):
                self.add(f"{name}{width} {count}, %{a}")
                self.add(f"{name}{width} {count}, {next(self.memory)}")
        for name, (width, (a, _)) in itertools.product(
                ["inc", "dec", "neg", "not", "mul", "imul"], WIDTHS.items()):
            self.add(f"{name}{width} %{a}")
            self.add(f"{name}{width} {next(self.memory)}")
        for width in "wlq":
            a, b = WIDTHS[width]
            self.add(f"imul{width} %{b}, %{a}")
            self.add(f"imul{width} {next(self.memory)}, %{a}")
            self.add(f"imul{width} $77, %{b}, %{a}")
            self.add(f"imul{width} $7777, {next(self.memory)}, %{a}")
            for name in ("bt", "bts", "btr", "btc"):
                self.add(f"{name}{width} $5, %{a}")
                self.add(f"{name}{width} $5, {next(self.memory)}")
                self.add(f"{name}{width} %{b}, %{a}")
                if width == "l":
                    self.add(f"{name}{width} %r11d, {next(self.memory)}")
            for name in ("bsf", "bsr"):
                self.add(f"{name}{width} %{b}, %{a}")
                self.add(f"{name}{width} {next(self.memory)}, %{a}")
            for name, need in (("popcnt", "popcnt"), ("lzcnt", "abm"), ("tzcnt", "bmi1")):
                self.add(f"{name}{width} %{b}, %{a}", need=need)
                self.add(f"{name}{width} {next(self.memory)}, %{a}", need=need)
            for name in ("shld", "shrd"):
                for count in ("$5", "%cl"):
                    self.add(f"{name}{width} {count}, %{b}, %{a}")
                    self.add(f"{name}{width} {count}, %{b}, {next(self.memory)}")
            self.add(f"movbe{width} {next(self.memory)}, %{a}", need="movbe")
            self.add(f"movbe{width} %{a}, {next(self.memory)}", need="movbe")

    def moves(self):
        for name, (width, (a, b)) in itertools.product(["xchg", "xadd", "cmpxchg"],
                                                       WIDTHS.items()):
            self.add(f"{name}{width} %{b}, %{a}")
            self.add(f"{name}{width} %{b}, {next(self.memory)}")
            self.add(f"lock {name}{width} %{b}, {next(self.memory)}")
        for name in ("movzbl", "movzbw", "movzbq", "movsbl", "movsbq", "movsbw"):
            self.add(f"{name} %bl, %{ {'l': 'eax', 'w': 'ax', 'q': 'rax'}[name[-1]] }")
            self.add(f"{name} {next(self.memory)}, "
                     f"%{ {'l': 'eax', 'w': 'ax', 'q': 'rax'}[name[-1]] }")
        for name in ("movzwl", "movzwq", "movswl", "movswq"):
            self.add(f"{name} %bx, %{'eax' if name[-1] == 'l' else 'rax'}")
            self.add(f"{name} {next(self.memory)}, %{'eax' if name[-1] == 'l' else 'rax'}")
        self.add("movslq %ebx, %rax")
        self.add("movabsq $0x123456789abcdef0, %rdi")
        for c in CONDITIONS:
            for width in "wlq":
                a, b = WIDTHS[width]
                self.add(f"cmov{c} %{b}, %{a}")
                self.add(f"cmov{c} {next(self.memory)}, %{a}")
            self.add(f"set{c} %al")
            self.add(f"set{c} {next(self.memory)}")
            self.add(f"test %eax, %edx; j{c} 1f; inc %r12; 1:")
            self.add(f"cmp %ecx, %esi; j{c} 1f; inc %r13; jmp 2f; 1: dec %r12; 2:")

    def others(self):
        for text in ("8(%r15), %rax", "(%rax,%rdx), %rsi", "area(%rip), %rdi", "7(,%r11,4), %eax",
                     "-3(%rdx,%rcx,2), %ax"):
            self.add("lea " + text)
        for text in ("cbw", "cwde", "cdqe", "cwd", "cdq", "cqo", "clc", "stc", "cmc", "lahf", "sahf",
                     "nop", "pushq %rax; popq %rdi", "pushq $77; popq %rsi", "call flags_seen",
                     "pushq 16(%r15); popq 24(%r15)", "pushw %ax; popw %dx",
                     "call small", "lea small(%rip), %rdi; call *%rdi", "call *pointer(%rip)",
                     "call small_pops", "jmp 1f; 1:", "lea 1f(%rip), %rdi; jmp *%rdi; 1:",
                     "xor %ecx, %ecx; jrcxz 1f; inc %r12; 1:",
                     "mov $3, %ecx; 1: inc %r13; loop 1b",
                     "enter $32, $0; leave", "movnti %rax, 8(%r15)", "bswap %eax", "bswap %rdx",
                     "xlatb", "cpuid", "movq $9, %rcx; movq $0, %rdx; movl $77, %eax; divl %ecx",
                     "cqo; movq $-9, %rcx; idivq %rcx"):
            if text == "xlatb":
                text = "movzbl %al, %eax; lea area(%rip), %rbx; xlatb; movq 24(%r14), %rbx"
            self.add(text)
        strings = "lea area+512(%rip), %rsi; lea area+768(%rip), %rdi; movl $5, %ecx; "
        for width in "bwlq":
            for name in ("movs", "stos", "lods", "cmps", "scas"):
                self.add(strings + name + width)
            for name in ("rep movs", "rep stos", "rep lods", "repe cmps", "repne scas",
                         "repne cmps", "repe scas"):
                self.add(strings + name + width)
        self.add(strings + "std; movsb; cld")

    def bits(self):
        for width in "lq":
            a, b = WIDTHS[width]
            for name in ("andn", "pdep", "pext"):
                need = "bmi1" if name == "andn" else "bmi2"
                self.add(f"{name}{width} %{a}, %{b}, %{a}", need=need)
                self.add(f"{name}{width} {next(self.memory)}, %{b}, %{a}", need=need)
            for name in ("bextr", "bzhi", "shlx", "shrx", "sarx"):
                need = "bmi1" if name == "bextr" else "bmi2"
                self.add(f"{name}{width} %{a}, %{b}, %{a}", need=need)
                self.add(f"{name}{width} %{a}, {next(self.memory)}, %{a}", need=need)
            for name in ("blsi", "blsr", "blsmsk"):
                self.add(f"{name}{width} %{b}, %{a}", need="bmi1")
                self.add(f"{name}{width} {next(self.memory)}, %{a}", need="bmi1")
            self.add(f"rorx{width} $5, %{b}, %{a}", need="bmi2")
            self.add(f"mulx{width} %{b}, %{a}, %{ {'l': 'esi', 'q': 'rsi'}[width] }", need="bmi2")
            for name in ("adcx", "adox"):
                self.add(f"{name}{width} %{b}, %{a}", need="adx")
                self.add(f"{name}{width} {next(self.memory)}, %{a}", need="adx")
            for source in ("b", "l"):
                name = f"crc32{source}"
                if source != "l" or width == "l":
                    self.add(f"{name} {next(self.memory)}, %eax", need="sse4_2")

    def x87(self):
        load = "fninit; fldl 32(%r15); fldl 40(%r15); "
        for name in ("fadd", "fsub", "fsubr", "fmul", "fdiv", "fdivr"):
            self.add(f"{load}{name}p")
            for form in ("s 32(%r15)", "l 40(%r15)", " %st(1), %st", " %st, %st(1)"):
                self.add(load + name + form)
            for form in ("s 32(%r15)", "l 48(%r15)"):
                self.add(f"{load}fi{name[1:]}{form}")
        for text in ("fld1", "fldz", "fldpi", "fldl2e", "fldln2", "fldlg2", "fldl2t", "fabs",
                     "fchs", "fsqrt", "frndint", "fxch", "fprem", "fscale", "fxtract", "f2xm1",
                     "fpatan", "fsin", "fcos", "fcom", "fcomp", "fcompp", "fucomi", "fcomi", "ftst",
                     "fxam", "fincstp", "fdecstp", "ffree %st(1)", "fstl 64(%r15)",
                     "fstps 64(%r15)", "fstpt 64(%r15)", "fldt 80(%r15)", "flds 32(%r15)",
                     "fistl 64(%r15)", "fistpq 64(%r15)", "fildl 32(%r15)", "fildq 32(%r15)",
                     "filds 32(%r15)", "fisttpl 64(%r15)", "fbstp 64(%r15)", "fnstcw 64(%r15)",
                     "fldcw control(%rip)", "fnstsw %ax", "fnstsw 64(%r15)", "fnclex", "fwait",
                     "fcmovb %st(1), %st", "fcmovne %st(1), %st", "fyl2x", "fptan"):
            self.add(load + text)
        for name in ("paddb", "paddd", "psubw", "pmullw", "pand", "por", "pxor", "pcmpeqd",
                     "punpcklbw", "packssdw", "pmaddwd", "psllq"):
            self.add(f"fninit; movq 32(%r15), %mm0; movq 40(%r15), %mm1; {name} %mm1, %mm0; emms")
            self.add(f"fninit; movq 32(%r15), %mm0; {name} 48(%r15), %mm0; emms")

    def vectors(self):
        packed = ("padd%s psub%s pcmpeq%s pcmpgt%s").split()
        integers = [name % size for name in packed for size in "bwd"] + [
            "paddq", "psubq", "pand", "pandn", "por", "pxor", "pmullw", "pmulhw", "pmulhuw",
            "pmuludq", "pmaddwd", "pavgb", "pavgw", "psadbw", "pmaxub", "pmaxsw", "pminub", "pminsw",
            "paddsb", "paddsw", "paddusb", "paddusw", "psubsb", "psubusb", "psubusw", "psubsw",
            "punpcklbw", "punpcklwd", "punpckldq", "punpcklqdq", "punpckhbw", "punpckhwd",
            "punpckhdq", "punpckhqdq", "packsswb", "packssdw", "packuswb"]
        later = ["pshufb", "phaddw", "phaddd", "phsubw", "pmaddubsw", "psignb", "psignw", "psignd",
                 "pmulhrsw", "pmaxsb", "pmaxsd", "pmaxud", "pmaxuw", "pminsb", "pminsd", "pminud",
                 "pminuw", "pmulld", "pmuldq", "pcmpeqq", "pcmpgtq", "packusdw"]
        floats = [name + kind for name in ("add", "sub", "mul", "div", "min", "max")
                  for kind in ("ps", "pd", "ss", "sd")]
        logic = [name + kind for name in ("and", "andn", "or", "xor", "unpckl", "unpckh")
                 for kind in ("ps", "pd")]
        unary = ["sqrtps", "sqrtpd", "rcpps", "rsqrtps", "cvtdq2ps", "cvtdq2pd", "cvtps2pd",
                 "cvtpd2ps", "cvttps2dq", "cvtps2dq", "movdqa", "movaps", "movups", "movdqu",
                 "movddup", "movshdup", "movsldup"]
        wide = ["pabsb", "pabsw", "pabsd", "pmovzxbw", "pmovzxwd", "pmovzxdq", "pmovsxbw",
                "pmovsxwd", "pmovsxdq"]
        for name in integers + later + floats + logic:
            self.add(f"{name} %xmm1, %xmm0", need="sse4_2")
            self.add(f"{name} {self.aligned()}, %xmm0", need="sse4_2")
            self.add(f"v{name} %xmm1, %xmm2, %xmm3", need="avx")
            self.add(f"v{name} {self.aligned()}, %xmm2, %xmm12", need="avx")
            if name[-2:] not in ("ss", "sd") or name.startswith("p"):
                need = "avx2" if name.startswith("p") else "avx"
                self.add(f"v{name} %ymm1, %ymm2, %ymm3", need=need)
                self.add(f"v{name} {self.aligned()}, %ymm2, %ymm3", need=need)
        for name in unary + wide:
            self.add(f"{name} %xmm1, %xmm0", need="sse4_2")
            self.add(f"{name} {self.aligned()}, %xmm0", need="sse4_2")
            self.add(f"v{name} %xmm1, %xmm0", need="avx")
            if name not in ("cvtpd2ps",):
                self.add(f"v{name} {self.aligned()}, %xmm0", need="avx")
        for name in ("movdqa", "movaps", "movups", "movdqu", "movapd", "movntdq", "movntps"):
            self.add(f"{name} %xmm1, {self.aligned()}")
            self.add(f"v{name} %ymm1, {self.aligned()}", need="avx")
        for name in ("movlps", "movhps", "movlpd", "movhpd", "movq", "movsd", "movss", "movd"):
            self.add(f"{name} %xmm1, {next(self.memory)}")
            self.add(f"{name} {next(self.memory)}, %xmm0")

    def vector_moves(self):
        for text in ("movd %eax, %xmm0", "movq %rax, %xmm0", "movd %xmm1, %eax", "movq %xmm1, %rax",
                     "movmskps %xmm1, %eax", "movmskpd %xmm1, %eax", "pmovmskb %xmm1, %eax",
                     "cvtsi2sd %rax, %xmm0", "cvtsi2ss %eax, %xmm0", "cvttsd2si %xmm1, %rax",
                     "cvtss2si %xmm1, %eax", "comisd %xmm1, %xmm0", "ucomiss %xmm1, %xmm0",
                     "pshufd $27, %xmm1, %xmm0", "pshuflw $27, %xmm1, %xmm0", "shufps $9, %xmm1, %xmm0",
                     "pslldq $3, %xmm0", "psrldq $3, %xmm0", "psllw $3, %xmm0", "psrad $3, %xmm0",
                     "cmpps $2, %xmm1, %xmm0", "cmpsd $1, %xmm1, %xmm0", "pinsrw $3, %eax, %xmm0",
                     "pextrw $3, %xmm1, %eax", "pextrd $2, %xmm1, %eax", "pinsrq $1, %rax, %xmm0",
                     "palignr $5, %xmm1, %xmm0", "pblendw $5, %xmm1, %xmm0", "ptest %xmm1, %xmm0",
                     "roundsd $1, %xmm1, %xmm0", "dpps $255, %xmm1, %xmm0", "mpsadbw $1, %xmm1, %xmm0",
                     "pcmpistri $0, %xmm1, %xmm0", "pcmpistrm $0, %xmm1, %xmm3", "ldmxcsr mxcsr(%rip)",
                     "stmxcsr 64(%r15)", "maskmovdqu %xmm1, %xmm0"):
            if text.startswith("maskmovdqu"):
                text = "lea area+768(%rip), %rdi; " + text
            self.add(text, need="sse4_2")
        for name in ("aesenc", "aesenclast", "aesdec", "aesdeclast", "aesimc"):
            self.add(f"{name} %xmm1, %xmm0", need="aes")
        self.add("pclmulqdq $1, %xmm1, %xmm0", need="pclmulqdq")
        for name in ("sha1msg1", "sha1msg2", "sha1nexte", "sha256msg1", "sha256msg2"):
            self.add(f"{name} %xmm1, %xmm0", need="sha_ni")
        for name in ("gf2p8mulb",):
            self.add(f"{name} %xmm1, %xmm0", need="gfni")
        for kind, order in itertools.product(("ps", "pd", "ss", "sd"), ("132", "213", "231")):
            for name in ("vfmadd", "vfmsub", "vfnmadd", "vfnmsub"):
                self.add(f"{name}{order}{kind} %xmm1, %xmm2, %xmm3", need="fma")
                self.add(f"{name}{order}{kind} {self.aligned()}, %xmm2, %xmm3", need="fma")
        for text in ("vbroadcastss 32(%r15), %ymm0", "vpermd %ymm1, %ymm2, %ymm3",
                     "vinserti128 $1, %xmm1, %ymm2, %ymm3", "vextracti128 $1, %ymm1, %xmm0",
                     "vperm2i128 $0x21, %ymm1, %ymm2, %ymm3", "vpmaskmovd %ymm1, %ymm2, 64(%r15)",
                     "vmaskmovps 64(%r15), %ymm1, %ymm2", "vpsllvd %ymm1, %ymm2, %ymm3",
                     "vpsrlvq %ymm1, %ymm2, %ymm3", "vzeroupper", "vtestps %ymm1, %ymm2",
                     "vpxor %xmm4, %xmm4, %xmm4; vpcmpeqd %ymm5, %ymm5, %ymm5; "
                     "vpgatherdd %ymm5, (%r15,%ymm4,4), %ymm6"):
            self.add(text, need="avx2")

    def wide_vectors(self):
        need = "avx512f avx512bw avx512vl avx512dq"
        for name in ("vpaddd", "vpaddq", "vpsubd", "vpandd", "vporq", "vpxord", "vpmulld", "vpmaxsq",
                     "vpminud", "vaddps", "vaddpd", "vmulps", "vmulpd", "vsubpd", "vdivps", "vminpd",
                     "vmaxps", "vpunpckldq", "vpermd", "vpermq", "vpsllvd", "vpsrlvq", "vpsravq",
                     "vprolvd", "vfmadd231ps", "vfmadd213pd", "vpternlogd $27,", "vpandnq",
                     "vpaddb", "vpsubw", "vpmullw", "vpavgb", "vpshufb", "vpackssdw"):
            name = name if name.endswith(",") else name + " "
            vector = "zmm"
            self.add(f"{name} %{vector}1, %{vector}2, %{vector}3", need=need)
            self.add(f"{name} %{vector}17, %{vector}18, %{vector}31", need=need)
            self.add(f"{name} {self.aligned()}, %{vector}2, %{vector}20", need=need)
            self.add(f"{name} %{vector}1, %{vector}2, %{vector}3{{%k1}}", need=need)
            self.add(f"{name} {self.aligned()}, %{vector}2, %{vector}3{{%k2}}{{z}}", need=need)
            if not name.startswith("vperm"):
                self.add(f"{name} %xmm17, %xmm18, %xmm19", need=need)
        for text in ("kmovw %eax, %k3", "kandw %k1, %k2, %k3", "korq %k1, %k2, %k4", "knotw %k1, %k5",
                     "kxnord %k1, %k2, %k6", "kshiftlw $3, %k1, %k7", "kmovq %k1, %rax",
                     "kortestw %k1, %k2", "vpcmpeqd %zmm1, %zmm2, %k3", "vpcmpud $1, %zmm1, %zmm2, %k4",
                     "vptestmq %zmm1, %zmm2, %k5", "vpmovd2m %zmm1, %k6", "vpmovm2d %k1, %zmm3",
                     "vpcompressd %zmm1, %zmm2{%k1}{z}", "vpexpandd %zmm1, %zmm2{%k1}{z}",
                     "vmovdqu32 %zmm1, 64(%r15)", "vmovdqu64 64(%r15), %zmm21",
                     "vmovdqu8 %zmm17, 64(%r15){%k1}", "vpbroadcastd %eax, %zmm22",
                     "vextracti64x4 $1, %zmm1, %ymm23", "vinserti32x4 $2, %xmm1, %zmm2, %zmm24",
                     "vpmovdb %zmm1, %xmm25", "vpscatterdd %zmm2, area+512(,%zmm26,4){%k3}",
                     "vrndscaleps $8, %zmm1, %zmm2", "vgetexpps %zmm1, %zmm2", "vpabsq %zmm1, %zmm2",
                     "vpopcntd %zmm1, %zmm2", "vplzcntd %zmm1, %zmm27", "vpconflictd %zmm1, %zmm28",
                     "vaddps (%r15){1to16}, %zmm1, %zmm2"):
            more = {"vpopcntd %zmm1, %zmm2": " avx512_vpopcntdq", "vplzcntd %zmm1, %zmm27": " avx512cd",
                    "vpconflictd %zmm1, %zmm28": " avx512cd"}.get(text, "")
            if "vpscatterdd" in text:
                text = "vpxord %zmm26, %zmm26, %zmm26; " + text
            self.add(text, need=need + more)

    def aligned(self):
        return next(self.places)

    places = itertools.cycle(["128(%r15)", "area+256(%rip)", "area+320", "192(%r15)"])


def load_registers(forms):
    lines = [f"movq {8 * i}(%r14), %{name}" for i, name in
             enumerate(("rax", "rcx", "rdx", "rbx", "rsi", "rdi", "r8", "r9", "r10"))]
    lines += ["movq 72(%r14), %r12", "movq 80(%r14), %r13", "movl %eax, %r11d", "andl $7, %r11d"]
    wide = "avx512f" in forms.flags
    for i in range(4):
        lines.append(f"vmovdqu64 {64 * i + 128}(%r14), %zmm{i}" if wide
                     else f"movdqu {64 * i + 128}(%r14), %xmm{i}")
        if wide:
            lines.append(f"vmovdqu64 {64 * i + 128}(%r14), %zmm{i + 16}")
    if wide:
        lines += ["kmovw %eax, %k1", "kmovw %edx, %k2"]
    lines += ["testl %eax, %eax"]
    return lines


HEAD = """
	.globl forms
	.type forms, @function
forms:
	pushq %rbx; pushq %rbp; pushq %r12; pushq %r13; pushq %r14; pushq %r15
	movq %rdi, %r14
	lea area(%rip), %r15
	movq $3, %fs:near@tpoff
	fninit
	ldmxcsr mxcsr(%rip)
"""
TAIL = """
	jmp leave_forms
	.size forms, .-forms
	.type leave_forms, @function
leave_forms:
	cld
	fninit
	ldmxcsr mxcsr(%rip)
	popq %r15; popq %r14; popq %r13; popq %r12; popq %rbp; popq %rbx
	ret
	.size leave_forms, .-leave_forms
	.type small, @function
small:
	incq %r12
	ret
	.size small, .-small
	.type small_pops, @function
small_pops:
	popq %r13
	pushq %r13
	xorl %r13d, %r13d
	ret
	.size small_pops, .-small_pops
	.type flags_seen, @function
flags_seen:	# steps would see the trap flag
	pushfq
	popq 72(%r15)
	ret
	.size flags_seen, .-flags_seen
"""
DATA = """
	.data
pointer: .quad small
control: .word 0x37f
	.balign 8
mxcsr:	.long 0x1f80
	.section .tbss,"awT",@nobits
	.balign 8
near:	.zero 64
	.section .note.GNU-stack,"",@progbits
"""


def write(path):
    """Writes the assembly, and returns how many different forms it has."""
    forms = Forms()
    for part in (forms.integer, forms.shifts, forms.moves, forms.others, forms.bits, forms.x87,
                 forms.vectors, forms.vector_moves):
        part()
    forms.wide_vectors()
    rows = list(dict.fromkeys(forms.rows))
    with open(path, "w", encoding="ascii") as out:
        chunks = range(0, len(rows), CHUNK)
        out.write("\t.text\n" + HEAD)
        for number in chunks:
            out.write(f"\tcall forms_{number}\n")
        out.write(TAIL)
        for number in chunks:
            out.write(f"\t.type forms_{number}, @function\nforms_{number}:\n")
            for line in [*load_registers(forms), *rows[number:number + CHUNK], "ret"]:
                out.write(f"\t{line}\n")
            out.write(f"\t.size forms_{number}, .-forms_{number}\n")
        out.write(DATA)
    return len(rows)
