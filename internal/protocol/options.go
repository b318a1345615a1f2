package protocol

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/racepred/racepred/internal/predictors"
)

// Options are how a test process records and analyses. The zero value is the default of everything.
type Options struct {
	Memory int    // bytes that the engine's state may take; 0: the default
	Window int    // events kept for schedules; 0: the default
	States int    // states a search for one schedule may visit; 0: the default
	Sample Sample // what is recorded of busy code

	Engines []string // names of predictors; nil: the default

	RecordOnly    bool // record, and throw away what was recorded: it measures what recording costs
	Unfiltered    bool // also record what a goroutine repeats within a span: the racing variables stay the same
	Check         bool // check each event, and what the engine makes of it
	Flip          bool // let busy positions record again at random, many times a test; goes with a small Sample
	Alone         Alone
	NoLeaks       bool // do not look for goroutines that nobody can wake
	UsualSchedule bool // goroutines go on in the order of plain go test; otherwise in a random one
	Drain         int  // chunks of records that may fill up until a process drains; 0: the default
}

// Alone is when a goroutine counts as alone, so that less is recorded. The values are those of
// package runtime (alone.go).
type Alone uint32

const (
	AloneDefault Alone = iota
	AloneNever
	AloneLooks  // it looks wherever it may, whether all others wait
	AloneTimers // as AloneLooks, and goroutines that sleep count as waiting, and no timer as one that fires soon
)

var aloneNames = [...]string{AloneNever: "off", AloneLooks: "look", AloneTimers: "timers"}

// Sample is how many events a test process may record in full before accesses of busy code are left
// out.
type Sample int

const (
	// SampleDefault leaves the number to the process.
	SampleDefault Sample = 0
	// SampleOff leaves nothing out.
	SampleOff Sample = -1
)

// Allowance is the number of events, 0 for all there are.
func (s Sample) Allowance(byDefault int) int {
	if s == SampleDefault {
		return byDefault
	}
	return max(int(s), 0)
}

// ParseSample reads "off" or a number of events.
func ParseSample(value string) (Sample, error) {
	if value == "off" {
		return SampleOff, nil
	}
	if n, err := strconv.Atoi(value); err == nil && n > 0 {
		return Sample(n), nil
	}
	return 0, fmt.Errorf("it is off or a number of events")
}

// An option is one name=value of EnvOpts. The table is the only place that knows them:
// ParseOptions, String and the command's help walk it.
type option struct {
	name, value string // value as the help shows it, or the only one there is
	help        string
	set         func(o *Options, value string) error
	get         func(o *Options) string // "" when o has the default
}

var options = []option{
	number("memory", "BYTES", "what the engine's state may take", func(o *Options) *int { return &o.Memory }),
	number("window", "N", "how many events are kept for schedules", func(o *Options) *int { return &o.Window }),
	number("states", "N", "how many states the search for a schedule may visit", func(o *Options) *int { return &o.States }),
	{"sample", "off|N", "as -sample, for binaries of -c",
		func(o *Options, value string) (err error) { o.Sample, err = ParseSample(value); return err },
		func(o *Options) string {
			switch o.Sample {
			case SampleDefault:
				return ""
			case SampleOff:
				return "off"
			}
			return strconv.Itoa(int(o.Sample))
		}},
	{"engines", "NAME+NAME", "as -engines, for binaries of -c",
		func(o *Options, value string) (err error) { o.Engines, err = predictors.Parse(value); return err },
		func(o *Options) string { return strings.Join(o.Engines, "+") }},
	flag("predict", "none", "record, and throw away what was recorded, to measure what recording costs", func(o *Options) *bool { return &o.RecordOnly }),
	flag("leaks", "off", "do not look for goroutines that nobody can wake", func(o *Options) *bool { return &o.NoLeaks }),
	flag("schedule", "usual", "as -random-schedule=false, for binaries of -c", func(o *Options) *bool { return &o.UsualSchedule }),
	flag("filter", "off", "also record what a goroutine repeats within a span", func(o *Options) *bool { return &o.Unfiltered }),
	flag("check", "on", "check each event against what a run can have, which ends the prediction with an internal error where racepred is wrong",
		func(o *Options) *bool { return &o.Check }),
	flag("flip", "on", "for tests of racepred: let busy code record again at random", func(o *Options) *bool { return &o.Flip }),
	{"alone", "off|look|timers", "off: also record what a goroutine does while all others wait for it; the others are for tests of racepred: goroutines look whether they are alone all the time",
		func(o *Options, value string) error {
			i := slices.Index(aloneNames[1:], value)
			if i < 0 {
				return fmt.Errorf("it is off, look or timers")
			}
			o.Alone = Alone(i + 1)
			return nil
		},
		func(o *Options) string { return aloneNames[o.Alone] }},
	number("drain", "N", "for tests of racepred: analyse after each N chunks of records", func(o *Options) *int { return &o.Drain }),
}

// number is an option that is at least 1.
func number(name, value, help string, field func(*Options) *int) option {
	return option{
		name, value, help,
		func(o *Options, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 {
				return fmt.Errorf("it is a number, at least 1")
			}
			*field(o) = n
			return nil
		},
		func(o *Options) string {
			if n := *field(o); n > 0 {
				return strconv.Itoa(n)
			}
			return ""
		},
	}
}

// flag is an option that has one value, which turns something on.
func flag(name, value, help string, field func(*Options) *bool) option {
	return option{
		name, value, help,
		func(o *Options, v string) error {
			if v != value {
				return fmt.Errorf("it is %s, or not given", value)
			}
			*field(o) = true
			return nil
		},
		func(o *Options) string {
			if *field(o) {
				return value
			}
			return ""
		},
	}
}

// ParseOptions reads name=value pairs with commas between. Of a name that is given twice, the last
// value holds.
func ParseOptions(text string) (o Options, err error) {
	for pair := range strings.SplitSeq(text, ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		i := slices.IndexFunc(options, func(x option) bool { return x.name == name })
		if i < 0 {
			return Options{}, fmt.Errorf("unknown option %q%s", name, suggestion(name))
		}
		if err := options[i].set(&o, value); err != nil {
			return Options{}, fmt.Errorf("invalid value %q of option %s: %w", value, name, err)
		}
	}
	return o, nil
}

// String is what ParseOptions reads as o; "" for the default.
func (o Options) String() string {
	var pairs []string
	for _, x := range options {
		if v := x.get(&o); v != "" {
			pairs = append(pairs, x.name+"="+v)
		}
	}
	return strings.Join(pairs, ",")
}

// OptionsHelp lists each option as it is written, and what it does.
func OptionsHelp() (list [][2]string) {
	for _, x := range options {
		list = append(list, [2]string{x.name + "=" + x.value, x.help})
	}
	return list
}
