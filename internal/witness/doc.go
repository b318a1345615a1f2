// Package witness turns a candidate into a schedule that shows it.
package witness
