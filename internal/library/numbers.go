package library

// The packages of numbers.
var numbers = []row{
	{"math", Harmless | Computes, "" +
		"Abs Acos Acosh Asin Asinh Atan Atan2 Atanh Cbrt Ceil Copysign Cos Cosh Dim Erf Erfc Erfcinv Erfinv Exp Exp2 " +
		"Expm1 FMA Float32bits Float32frombits Float64bits Float64frombits Floor Frexp Gamma Hypot Ilogb Inf IsInf " +
		"IsNaN J0 J1 Jn Ldexp Lgamma Log Log10 Log1p Log2 Logb Max Min Mod Modf NaN Nextafter Nextafter32 Pow Pow10 " +
		"Remainder Round RoundToEven Signbit Sin Sincos Sinh Sqrt Tan Tanh Trunc Y0 Y1 Yn"},
	{"math/bits", Harmless | Computes, "" +
		"Add Add32 Add64 Div Div32 Div64 LeadingZeros LeadingZeros16 LeadingZeros32 LeadingZeros64 LeadingZeros8 Len " +
		"Len16 Len32 Len64 Len8 Mul Mul32 Mul64 OnesCount OnesCount16 OnesCount32 OnesCount64 OnesCount8 Rem Rem32 " +
		"Rem64 Reverse Reverse16 Reverse32 Reverse64 Reverse8 ReverseBytes ReverseBytes16 ReverseBytes32 ReverseBytes64 " +
		"RotateLeft RotateLeft16 RotateLeft32 RotateLeft64 RotateLeft8 Sub Sub32 Sub64 TrailingZeros TrailingZeros16 " +
		"TrailingZeros32 TrailingZeros64 TrailingZeros8"},
	{"math/cmplx", Harmless | Computes, "" +
		"Abs Acos Acosh Asin Asinh Atan Atanh Conj Cos Cosh Cot Exp Inf IsInf IsNaN Log Log10 NaN Phase Polar Pow Rect " +
		"Sin Sinh Sqrt Tan Tanh"},
	{"math/rand", Contained, "ExpFloat64 Float32 Float64 Int Int31 Int31n Int63 Int63n Intn NormFloat64 Perm Read Seed Shuffle Uint32 Uint64"},
	{"math/rand", Contained | OfSource, "" +
		"Rand.ExpFloat64 Rand.Float32 Rand.Float64 Rand.Int Rand.Int31 Rand.Int31n Rand.Int63 Rand.Int63n Rand.Intn " +
		"Rand.NormFloat64 Rand.Perm Rand.Read Rand.Seed Rand.Shuffle Rand.Uint32 Rand.Uint64 Zipf.Uint64"},
	{"math/rand", Contained | IsSource, "NewSource NewZipf"},
	{"math/rand", IsSource | TakesSource, "New"},
	{"math/rand/v2", Contained, "" +
		"ExpFloat64 Float32 Float64 Int Int32 Int32N Int64 Int64N IntN NormFloat64 Perm Shuffle Uint Uint32 Uint32N " +
		"Uint64 Uint64N UintN PCG.Seed PCG.Uint64"},
	{"math/rand/v2", Contained | OfSource, "" +
		"Rand.ExpFloat64 Rand.Float32 Rand.Float64 Rand.Int Rand.Int32 Rand.Int32N Rand.Int64 Rand.Int64N Rand.IntN " +
		"Rand.NormFloat64 Rand.Perm Rand.Shuffle Rand.Uint Rand.Uint32 Rand.Uint32N Rand.Uint64 Rand.Uint64N Rand.UintN " +
		"Zipf.Uint64"},
	{"math/rand/v2", OfSource, "Rand.N"},
	{"math/rand/v2", Contained, "NewChaCha8"},
	{"math/rand/v2", Contained | IsSource, "NewPCG NewZipf"},
	{"math/rand/v2", IsSource | TakesSource, "New"},
}
