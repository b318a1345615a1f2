package trace

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKindsAreDocumented compares the table of docs/trace.md with Specs.
func TestKindsAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "trace.md"))
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(page), "| kind | operand | |\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	operands := map[Operand]string{NoOperand: "", OnBytes: "bytes", OnLock: "lock", OnObject: "object", OnG: "goroutine", OnTest: "test", OnGBefore: "goroutine, events"}
	documented := map[string]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		for _, name := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(cells[1], -1) {
			documented[name[1]] = strings.TrimSpace(cells[2])
		}
	}
	for k := range Specs {
		if Kind(k) == None {
			continue
		}
		operand, ok := documented[Specs[k].Name]
		require.True(t, ok, Specs[k].Name)
		require.Equal(t, operands[Specs[k].Operand], operand, Specs[k].Name)
		delete(documented, Specs[k].Name)
	}
	require.Empty(t, documented, "kinds that do not exist")
}
