package format

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racepred/racepred/internal/report"
	"github.com/racepred/racepred/internal/waive"
)

// structure is the page without the style and the script that are the same in each.
func structure(t *testing.T, page []byte) []byte {
	for _, same := range []string{htmlStyle, htmlScript} {
		require.Equal(t, 1, bytes.Count(page, []byte(same)))
		page = bytes.Replace(page, []byte(same), []byte("..."), 1)
	}
	return page
}

// TestHTMLNeedsNothingElse: no address, and nothing that a browser would fetch.
func TestHTMLNeedsNothingElse(t *testing.T) {
	page, err := encodeHTML(whole())
	require.NoError(t, err)
	for _, no := range []string{"http:", "https:", "//", "src=", "@import", "<link", "<img", "<iframe"} {
		require.NotContains(t, string(bytes.ReplaceAll(structure(t, page), []byte("// "), nil)), no)
	}
	require.NotRegexp(t, `url\((?:[^#]|$)|@import|https?:`, htmlStyle+htmlScript)
	require.NotRegexp(t, `innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(`, htmlScript)
}

// evil is in every string of a report of TestHTMLEscapes.
const evil = `</script></style><script>window.evil=1</script><img src=x onerror=window.evil=1>"'` + "`" + `onload="window.evil=1`

// poison puts evil into every string, and makes one element of every list that has none.
func poison(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + evil)
	case reflect.Struct:
		for i := range v.NumField() {
			poison(v.Field(i))
		}
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		poison(v.Elem())
	case reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			poison(v.Index(i))
		}
	}
}

// poisoned is a report of one finding of each kind, with names that try to be more than text. So does its source.
func poisoned(t *testing.T) *report.Report {
	r := whole()
	r.Root = ""
	r.Directed, r.Findings = r.Findings[:1], nil
	for _, k := range report.Kinds {
		f := whole().Findings[0]
		f.Kind = k
		r.Findings = append(r.Findings, f)
	}
	waived := whole().Findings[0]
	r.Findings = append(r.Findings, waived)
	poison(reflect.ValueOf(r).Elem())
	for i, k := range report.Kinds {
		r.Findings[i].Kind, r.Findings[i].Verdict, r.Findings[i].Waived = k, report.Predicted, ""
		for j := range r.Findings[i].Accesses {
			r.Findings[i].Accesses[j].File = "<script>.go"
		}
	}
	r.Findings[len(r.Findings)-1].Waived = waive.ByIgnore + evil
	r.Root = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(r.Root, "<script>.go"), []byte(strings.Repeat(evil+"\n", 20)), 0o666))
	return r
}

func TestHTMLEscapes(t *testing.T) {
	page, err := encodeHTML(poisoned(t))
	require.NoError(t, err)
	s := string(structure(t, page))
	require.Equal(t, 2, strings.Count(s, "<script"), "the sources, and the page's own")
	require.Equal(t, 2, strings.Count(s, "</script"))
	require.Equal(t, 1, strings.Count(s, "</style"))
	require.NotContains(t, s, "<img")
	end := `"'` + "`onload"
	require.Equal(t, strings.Count(s, `\`+end), strings.Count(s, end), "but for strings of the sources, quotes are escaped")
	require.Greater(t, strings.Count(s, "&lt;script&gt;window.evil=1"), 50, "it is there as text")
}

// many is a report of n findings, of which every third is observed.
func many(n int) *report.Report {
	r := whole()
	one := r.Findings[0]
	r.Findings = nil
	for i := range n {
		f := one
		f.ID, f.Variable, f.Package = fmt.Sprintf("R%d", i+1), fmt.Sprintf("v%d", i), fmt.Sprintf("ex.com/m/p%d", i%7)
		if i%3 == 0 {
			f.Verdict = report.Observed
		}
		r.Findings = append(r.Findings, f)
	}
	return r
}

// TestHTMLOfMany bounds what a finding adds.
func TestHTMLOfMany(t *testing.T) {
	few, err := encodeHTML(many(1))
	require.NoError(t, err)
	page, err := encodeHTML(many(501))
	require.NoError(t, err)
	require.Less(t, (len(page)-len(few))/500, 16<<10)
}

// TestTimelineIsShort: of a long list of steps those are drawn that are near to the accesses, with
// whole sections, and it is said how many are not.
func TestTimelineIsShort(t *testing.T) {
	f := whole().Findings[0]
	var steps []report.Step
	for i := range 300 {
		for k, op := range []string{"lock", "write", "unlock"} {
			steps = append(steps, report.Step{Goroutine: 1 + 7*(i%2), Op: op, Name: "c.mu", File: "cache.go", Line: k + 1, Object: 1 + i%2, Event: uint64(3*i + k)})
		}
	}
	steps[450].Access = 1
	f.Run.Steps = steps
	_, list := timelines(&f)
	drawn, left, boxes := 0, 0, len(list[0].Boxes)
	for _, m := range list[0].Marks {
		var n int
		if m.Gap {
			fmt.Sscan(m.What, &n)
			left += n
		} else {
			drawn++
		}
	}
	require.Equal(t, len(steps), drawn+left)
	require.LessOrEqual(t, drawn, maxDrawn)
	require.Greater(t, drawn, maxDrawn/2)
	require.Equal(t, drawn, 3*boxes)
}

// TestHTMLInChromium opens the page, looks at it, and uses it.
func TestHTMLInChromium(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a browser some seconds")
	}
	c := startChromium(t)
	open := func(t *testing.T, r *report.Report) {
		page, err := encodeHTML(r)
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "report.html")
		require.NoError(t, os.WriteFile(file, page, 0o666))
		c.open(t, file)
	}
	t.Run("a picture", func(t *testing.T) {
		open(t, whole())
		c.click("#R1 summary")
		require.Equal(t, 2.0, c.eval(`document.querySelectorAll("#R1 svg.t").length`))
		picture, _ := c.screenshot()
		require.Greater(t, colors(picture), 50)
		require.Equal(t, true, c.eval(`Array.from(document.querySelectorAll("#R1 svg.t text")).every((e) => e.getBBox().x + e.getBBox().width <= e.ownerSVGElement.width.baseVal.value)`), "words are not cut off")
	})
	t.Run("dark", func(t *testing.T) {
		scheme := func(value string) image.Image {
			c.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": value}}})
			picture, _ := c.screenshot()
			return picture
		}
		open(t, whole())
		dark, light := scheme("dark"), scheme("light")
		require.Greater(t, brightness(light), 2*brightness(dark))
	})
	t.Run("steps", func(t *testing.T) {
		open(t, whole())
		c.click("#R1 summary")
		current := `Array.from(document.querySelectorAll("#R1 .schedule .cur title")).map((e) => e.textContent).join("; ")`
		twin := `Array.from(document.querySelectorAll("#R1 .run .twin title")).map((e) => e.textContent).join("; ")`
		source := `Array.from(document.querySelectorAll("#R1 .pane.now .hit")).map((e) => e.textContent.trim()).join("; ")`
		require.Equal(t, "", c.eval(current))
		c.click("#R1 [data-go=next]")
		require.Equal(t, "go at cache.go:3", c.eval(current))
		require.Equal(t, "3func (c *cache) start() { go c.put() }", c.eval(source))
		c.click("#R1 [data-go=next]")
		require.Equal(t, "lock c.mu at cache.go:6", c.eval(current))
		require.Equal(t, "lock c.mu at cache.go:6", c.eval(twin), "and what the run did")
		c.press("ArrowRight")
		require.Equal(t, "unlock c.mu at cache.go:8", c.eval(current))
		c.press("ArrowRight")
		require.Equal(t, "write c.n<1> at cache.go:7; read c.n<1> at cache.go:9", c.eval(current), "side by side")
		require.Equal(t, "9\tc.n--; 7\tc.n++ // \"<&>\"", c.eval(source))
		require.Equal(t, true, c.eval(`document.querySelector("#R1 [data-go=next]").disabled`))
		c.press("ArrowLeft")
		require.Equal(t, "unlock c.mu at cache.go:8", c.eval(current))
		c.click("#R1 [data-go=first]")
		require.Equal(t, "", c.eval(current))
	})
	t.Run("500 findings", func(t *testing.T) {
		open(t, many(500))
		visible := `Array.from(document.querySelectorAll(".f")).filter((f) => f.offsetParent).length`
		require.Equal(t, 500.0, c.eval(visible))
		c.click(".chip")
		require.Equal(t, 167.0, c.eval(visible), "observed")
		c.eval(`q.value = "V49 put"; q.oninput()`)
		require.Equal(t, "3 of 500 findings", c.eval(`shown.textContent`))
		require.Equal(t, true, c.eval(`new Promise((done) => { addEventListener("hashchange", () => done(R493.open)); location.hash = "R493"; })`))
	})
	t.Run("what names try", func(t *testing.T) {
		open(t, poisoned(t))
		c.eval(`document.querySelectorAll("details").forEach((d) => d.open = true)`)
		for range 4 {
			c.click("[data-go=next]")
		}
		require.Nil(t, c.eval(`window.evil`))
		require.Equal(t, float64(len(report.Kinds)), c.eval(`document.querySelectorAll(".f").length`))
		require.Contains(t, c.eval(`document.querySelector(".pane.now .hit").textContent`), evil)
	})
	t.Run("without scripts", func(t *testing.T) {
		c.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
		open(t, whole())
		picture, _ := c.screenshot()
		require.Greater(t, colors(picture), 20)
		require.Equal(t, "none", c.eval(`getComputedStyle(document.querySelector(".bar")).display`), "nothing that would do nothing")
		c.click("#R1 summary")
		require.Equal(t, true, c.eval(`document.querySelector("#R1 svg.t").getBoundingClientRect().height > 100`))
	})
}

func colors(p image.Image) int {
	all := map[color.Color]bool{}
	for y := p.Bounds().Min.Y; y < p.Bounds().Max.Y; y += 2 {
		for x := p.Bounds().Min.X; x < p.Bounds().Max.X; x += 2 {
			all[p.At(x, y)] = true
		}
	}
	return len(all)
}

func brightness(p image.Image) (sum float64) {
	for y := p.Bounds().Min.Y; y < p.Bounds().Max.Y; y += 4 {
		for x := p.Bounds().Min.X; x < p.Bounds().Max.X; x += 4 {
			r, g, b, _ := p.At(x, y).RGBA()
			sum += float64(r+g+b) / (3 * 0xffff)
		}
	}
	return sum
}

// TestSourceLooksLikeWhatItIs: what would change the order of a line's characters is shown.
func TestSourceLooksLikeWhatItIs(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("if a { // \u202e } \u2066 \u05d0\r\n}\n"), 0o666))
	require.Equal(t, []sourceLine{{1, "if a { // \uFFFD } \uFFFD \u05d0", true}, {2, "}", false}}, newSources(dir).snippet("a.go", 1, 1))
}
