package report

// PackageTests is how the tests of a package went, as go test says it. It is in no JSON report: a
// format that lists tests is written where they were run.
type PackageTests struct {
	Package string
	Started string // RFC 3339; "" when unknown
	Seconds float64
	Failed  bool
	Output  string // of the package, and of none of its tests
	Tests   []TestResult
}

// TestResult is one run of a test.
type TestResult struct {
	Name    string // "TestX/sub"
	Result  Result
	Seconds float64
	Output  string
}

// Result is how a test ended.
type Result string

// The results.
const (
	Passed  Result = "pass"
	Failed  Result = "fail"
	Skipped Result = "skip"
	Broken  Result = "" // it did not end
)
