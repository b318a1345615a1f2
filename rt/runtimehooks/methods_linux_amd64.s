//go:build racepred_seam

#include "go_asm.h"
#include "textflag.h"

// See methods.go. A stub's number has a bit more, so that all stubs are equally long.

#define STUB(n) MOVL $(0x10000+(n)), R12; JMP ·rpThrough<ABIInternal>(SB)
#define STUB4(n) STUB(n); STUB((n)+1); STUB((n)+2); STUB((n)+3)
#define STUB16(n) STUB4(n); STUB4((n)+4); STUB4((n)+8); STUB4((n)+12)
#define STUB64(n) STUB16(n); STUB16((n)+16); STUB16((n)+32); STUB16((n)+48)
#define STUB256(n) STUB64(n); STUB64((n)+64); STUB64((n)+128); STUB64((n)+192)
#define STUB1024(n) STUB256(n); STUB256((n)+256); STUB256((n)+512); STUB256((n)+768)

TEXT ·rpStubs<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-0
	STUB1024(0)
	STUB1024(1024)
	STUB1024(2048)
	STUB1024(3072)

// R12 has the number. R12 and R13 are no arguments' registers.
TEXT ·rpThrough<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	g_racectx(R14), R13
	TESTQ	R13, R13
	JEQ	through
	CMPL	rpG_nheld(R13), $0
	JEQ	through
	CMPL	rpG_quiet(R13), $const_rpQuiet
	JEQ	through
	CALL	rpKeepingRegisters<>(SB)
through:
	LEAQ	·rpMethods(SB), R13
	MOVQ	-0x80000(R13)(R12*8), R13
	JMP	R13

TEXT rpKeepingRegisters<>(SB), NOSPLIT, $320-0
	MOVQ	AX, 0(SP)
	MOVQ	BX, 8(SP)
	MOVQ	CX, 16(SP)
	MOVQ	DI, 24(SP)
	MOVQ	SI, 32(SP)
	MOVQ	R8, 40(SP)
	MOVQ	R9, 48(SP)
	MOVQ	R10, 56(SP)
	MOVQ	R11, 64(SP)
	MOVQ	R12, 72(SP)
	MOVUPS	X0, 80(SP)
	MOVUPS	X1, 96(SP)
	MOVUPS	X2, 112(SP)
	MOVUPS	X3, 128(SP)
	MOVUPS	X4, 144(SP)
	MOVUPS	X5, 160(SP)
	MOVUPS	X6, 176(SP)
	MOVUPS	X7, 192(SP)
	MOVUPS	X8, 208(SP)
	MOVUPS	X9, 224(SP)
	MOVUPS	X10, 240(SP)
	MOVUPS	X11, 256(SP)
	MOVUPS	X12, 272(SP)
	MOVUPS	X13, 288(SP)
	MOVUPS	X14, 304(SP)
	CALL	·rpCalledMethod<ABIInternal>(SB)
	MOVQ	0(SP), AX
	MOVQ	8(SP), BX
	MOVQ	16(SP), CX
	MOVQ	24(SP), DI
	MOVQ	32(SP), SI
	MOVQ	40(SP), R8
	MOVQ	48(SP), R9
	MOVQ	56(SP), R10
	MOVQ	64(SP), R11
	MOVQ	72(SP), R12
	MOVUPS	80(SP), X0
	MOVUPS	96(SP), X1
	MOVUPS	112(SP), X2
	MOVUPS	128(SP), X3
	MOVUPS	144(SP), X4
	MOVUPS	160(SP), X5
	MOVUPS	176(SP), X6
	MOVUPS	192(SP), X7
	MOVUPS	208(SP), X8
	MOVUPS	224(SP), X9
	MOVUPS	240(SP), X10
	MOVUPS	256(SP), X11
	MOVUPS	272(SP), X12
	MOVUPS	288(SP), X13
	MOVUPS	304(SP), X14
	RET
