// Package cacheage says how long racepred's cache keeps what nobody uses: a file's time -> whether
// it is removed. The time of a file is about that of its last use.
package cacheage

import (
	"io/fs"
	"os"
	"time"
)

// Max is how long what is not used stays.
const Max = 5 * 24 * time.Hour

// noted is how often a use is noted.
const noted = time.Hour

// Used notes that a file, of which info is known, is in use.
func Used(name string, info fs.FileInfo) {
	if now := time.Now(); now.Sub(info.ModTime()) > noted {
		_ = os.Chtimes(name, now, now) // at worst it is removed too early, and made again
	}
}

// Over reports whether a file was not used for too long.
func Over(info fs.FileInfo, now time.Time) bool { return now.Sub(info.ModTime()) > Max }
