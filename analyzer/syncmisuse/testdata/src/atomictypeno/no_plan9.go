package atomictypeno

func (e *elsewhere) set() { e.there = 1 }
