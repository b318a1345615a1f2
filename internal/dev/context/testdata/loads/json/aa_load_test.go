// Package load encodes and decodes JSON for ten million events.
package load

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
)

type loadOrder struct {
	ID    int
	Name  string
	Items []loadItem
	Tags  map[string]string
}

type loadItem struct {
	SKU   string
	Count int
	Price float64
}

func TestNoRaceLoadJSON(t *testing.T) {
	var workers sync.WaitGroup
	for w := range 2 {
		workers.Go(func() {
			for i := range 8_000 {
				o := loadOrder{i, fmt.Sprintf("order %d of %d", i, w), []loadItem{{"a", i, 1.5}, {"b", 1, 0.25}}, map[string]string{"to": "x", "by": "y"}}
				data, err := json.Marshal(&o)
				if err != nil {
					t.Error(err)
					return
				}
				var back loadOrder
				if err := json.Unmarshal(data, &back); err != nil || back.Name != o.Name || len(back.Items) != 2 {
					t.Errorf("%v, %s became %+v", err, data, back)
					return
				}
			}
		})
	}
	workers.Wait()
}
