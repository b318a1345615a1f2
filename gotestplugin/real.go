package gotestplugin

import "github.com/racepred/racepred/internal/seam"

// real are the parts a recording build is made with.
var real = parts{
	prepare: seam.Prepare,
}
