package predict

import "slices"

// Latest lists what was added to it last, oldest first.
type Latest[T comparable] struct {
	Keep int // it keeps at least so many, and less than twice as many; 0 means keepEnded
	list []T
}

// Add adds x, and returns what is not kept any longer.
func (l *Latest[T]) Add(x T) (old []T) {
	l.list = append(l.list, x)
	keep := l.Keep
	if keep == 0 {
		keep = keepEnded
	}
	if len(l.list) < 2*keep {
		return nil
	}
	old, l.list = l.list[:keep], slices.Clone(l.list[keep:])
	return old
}

// Remove takes out x.
func (l *Latest[T]) Remove(x T) {
	if i := slices.Index(l.list, x); i >= 0 {
		l.list = slices.Delete(l.list, i, i+1)
	}
}
