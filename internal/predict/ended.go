package predict

import "github.com/racepred/racepred/internal/trace"

// keepEnded is how many ended goroutines predictors keep the clocks of, for a Join. A Join of an
// older one comes after all that has happened: it orders too much rather than too little.
// Recordings have no Join, and to keep one clock for all older ones took a twentieth of the
// engine's time where 10,000 goroutines lived at once.
const keepEnded = 1 << 10

// Ended lists the goroutines of which something is kept after their End. One that has events after
// its End is removed.
type Ended = Latest[trace.G]
