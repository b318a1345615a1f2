package format

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// chromium is a headless browser with one page, which is driven through a pipe (the DevTools
// protocol: requests and answers in JSON, a zero byte after each).
type chromium struct {
	t       *testing.T
	in      io.Writer
	out     *bufio.Reader
	stderr  *bytes.Buffer
	session string
	n       int
	events  map[string]bool // that were seen
}

// startChromium starts one. Without a browser on the machine the test is skipped.
func startChromium(t *testing.T, flags ...string) *chromium {
	name := ""
	for _, n := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if p, err := exec.LookPath(n); err == nil {
			name = p
			break
		}
	}
	if name == "" {
		t.Skip("there is no Chromium on this machine (Debian: apt-get install chromium): nobody looks at the HTML report in a browser, at its picture, its steps and its filters")
	}
	toBrowser, in, err := os.Pipe()
	require.NoError(t, err)
	out, fromBrowser, err := os.Pipe()
	require.NoError(t, err)
	dir := t.TempDir()
	args := append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars", "--window-size=1400,1000",
		"--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=" + filepath.Join(dir, "profile"), "--remote-debugging-pipe",
	}, flags...)
	cmd := exec.Command(name, args...)
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser}
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_CACHE_HOME="+dir)
	c := &chromium{t: t, in: in, out: bufio.NewReader(out), stderr: &bytes.Buffer{}, events: map[string]bool{}}
	cmd.Stderr = c.stderr
	require.NoError(t, cmd.Start())
	toBrowser.Close()
	fromBrowser.Close()
	t.Cleanup(func() {
		c.session = ""
		c.send("Browser.close", nil)
		io.Copy(io.Discard, c.out) // until it is gone
		in.Close()
		out.Close()
		cmd.Wait()
	})
	target := c.call("Target.createTarget", map[string]any{"url": "about:blank"})
	attached := c.call("Target.attachToTarget", map[string]any{"targetId": target["targetId"], "flatten": true})
	c.session = attached["sessionId"].(string)
	c.call("Page.enable", nil)
	return c
}

// open opens a file, and what is asked from then on is asked for t.
func (c *chromium) open(t *testing.T, file string) {
	c.t = t
	clear(c.events)
	c.call("Page.navigate", map[string]any{"url": (&url.URL{Scheme: "file", Path: file}).String()})
	for !c.events["Page.loadEventFired"] {
		c.read()
	}
}

func (c *chromium) send(method string, params any) error {
	c.n++
	m := map[string]any{"id": c.n, "method": method}
	if params != nil {
		m["params"] = params
	}
	if c.session != "" {
		m["sessionId"] = c.session
	}
	data, err := json.Marshal(m)
	if err == nil {
		_, err = c.in.Write(append(data, 0))
	}
	return err
}

// call asks the browser and waits for its answer.
func (c *chromium) call(method string, params any) map[string]any {
	c.t.Helper()
	require.NoError(c.t, c.send(method, params), "%s", c.stderr)
	for {
		if answer := c.read(); answer.ID == c.n {
			require.Nil(c.t, answer.Error, method)
			return answer.Result
		}
	}
}

// said is an answer, or an event, which has a method.
type said struct {
	ID     int
	Method string
	Result map[string]any
	Error  *struct{ Message string }
}

func (c *chromium) read() (m said) {
	c.t.Helper()
	data, err := c.out.ReadBytes(0)
	require.NoError(c.t, err, "the browser is gone\n%s", c.stderr)
	require.NoError(c.t, json.Unmarshal(data[:len(data)-1], &m))
	c.events[m.Method] = true
	return m
}

// eval is the value of an expression in the page.
func (c *chromium) eval(expr string) any {
	c.t.Helper()
	r := c.call("Runtime.evaluate", map[string]any{"expression": expr, "returnByValue": true, "awaitPromise": true})
	require.Nil(c.t, r["exceptionDetails"], expr)
	return r["result"].(map[string]any)["value"]
}

// click clicks into the middle of the first element for the selector, as a mouse does.
func (c *chromium) click(selector string) {
	c.t.Helper()
	at := c.eval(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center"}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector)).([]any)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		c.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1})
	}
}

// press presses a key.
func (c *chromium) press(key string) {
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		c.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": key})
	}
}

// screenshot is a picture of the page.
func (c *chromium) screenshot() (image.Image, []byte) {
	c.t.Helper()
	data, err := base64.StdEncoding.DecodeString(c.call("Page.captureScreenshot", map[string]any{"format": "png"})["data"].(string))
	require.NoError(c.t, err)
	picture, err := png.Decode(bytes.NewReader(data))
	require.NoError(c.t, err)
	return picture, data
}
