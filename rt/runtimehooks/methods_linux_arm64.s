//go:build racepred_seam

#include "go_asm.h"
#include "textflag.h"

// See methods.go.

#define STUB(n) MOVD $(n), R19; B ·rpThrough<ABIInternal>(SB)
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

// R19 has the number. R19 to R21 are no arguments' registers.
TEXT ·rpThrough<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	g_racectx(g), R20
	CBZ	R20, through
	MOVW	rpG_nheld(R20), R21
	CBZW	R21, through
	MOVWU	rpG_quiet(R20), R21
	CMPW	$const_rpQuiet, R21
	BEQ	through
	MOVD.W	R30, -16(RSP)
	CALL	rpKeepingRegisters<>(SB)
	MOVD.P	16(RSP), R30
through:
	MOVD	$·rpMethods(SB), R20
	MOVD	(R20)(R19<<3), R20
	JMP	(R20)

TEXT rpKeepingRegisters<>(SB), NOSPLIT, $272-0
	STP	(R0, R1), 8(RSP)
	STP	(R2, R3), 24(RSP)
	STP	(R4, R5), 40(RSP)
	STP	(R6, R7), 56(RSP)
	STP	(R8, R9), 72(RSP)
	STP	(R10, R11), 88(RSP)
	STP	(R12, R13), 104(RSP)
	STP	(R14, R15), 120(RSP)
	MOVD	R19, 136(RSP)
	FSTPD	(F0, F1), 144(RSP)
	FSTPD	(F2, F3), 160(RSP)
	FSTPD	(F4, F5), 176(RSP)
	FSTPD	(F6, F7), 192(RSP)
	FSTPD	(F8, F9), 208(RSP)
	FSTPD	(F10, F11), 224(RSP)
	FSTPD	(F12, F13), 240(RSP)
	FSTPD	(F14, F15), 256(RSP)
	CALL	·rpCalledMethod<ABIInternal>(SB)
	LDP	8(RSP), (R0, R1)
	LDP	24(RSP), (R2, R3)
	LDP	40(RSP), (R4, R5)
	LDP	56(RSP), (R6, R7)
	LDP	72(RSP), (R8, R9)
	LDP	88(RSP), (R10, R11)
	LDP	104(RSP), (R12, R13)
	LDP	120(RSP), (R14, R15)
	MOVD	136(RSP), R19
	FLDPD	144(RSP), (F0, F1)
	FLDPD	160(RSP), (F2, F3)
	FLDPD	176(RSP), (F4, F5)
	FLDPD	192(RSP), (F6, F7)
	FLDPD	208(RSP), (F8, F9)
	FLDPD	224(RSP), (F10, F11)
	FLDPD	240(RSP), (F12, F13)
	FLDPD	256(RSP), (F14, F15)
	RET
