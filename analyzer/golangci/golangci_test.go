package golangci_test

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"

	"github.com/racepred/racepred/analyzer"
	_ "github.com/racepred/racepred/analyzer/golangci"
)

func TestPlugin(t *testing.T) {
	checks := func(conf any) []*analysis.Analyzer {
		t.Helper()
		open, err := register.GetPlugin("racepred")
		require.NoError(t, err)
		p, err := open(conf)
		require.NoError(t, err)
		require.Equal(t, register.LoadModeTypesInfo, p.GetLoadMode())
		all, err := p.BuildAnalyzers()
		require.NoError(t, err)
		require.NoError(t, analysis.Validate(all))
		return all
	}
	require.Equal(t, analyzer.All(), checks(nil))
	require.Equal(t, analyzer.All(), checks(map[string]any{}))
	require.Equal(t, "opaqueunderlock", checks(map[string]any{"checks": []any{"opaqueunderlock"}})[0].Name)

	open, err := register.GetPlugin("racepred")
	require.NoError(t, err)
	_, err = open(map[string]any{"checks": []any{"guardedBy"}})
	require.ErrorContains(t, err, `racepred has no check "guardedBy"`)
	_, err = open(map[string]any{"check": []any{"guardedby"}})
	require.ErrorContains(t, err, `unknown field "check"`)
}
