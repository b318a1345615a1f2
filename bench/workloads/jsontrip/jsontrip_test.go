// Package jsontrip encodes and decodes structs with encoding/json and compares them.
package jsontrip

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"testing"
)

type person struct {
	Name    string            `json:"name"`
	Age     int               `json:"age"`
	Emails  []string          `json:"emails,omitempty"`
	Address *address          `json:"address"`
	Tags    map[string]string `json:"tags"`
}

type address struct {
	Street string
	City   string
	Geo    [2]float64
}

func TestTrip(t *testing.T) {
	const workers, rounds = 2, 50_000
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range rounds {
				p := person{
					Name: fmt.Sprintf("p%d-%d", w, i), Age: i % 90, Emails: []string{"a@example.org", "b@example.org"},
					Address: &address{"Main Street 1", "Springfield", [2]float64{float64(i), 0.5}},
					Tags:    map[string]string{"k": "v", "w": "x"},
				}
				data, err := json.Marshal(&p)
				if err != nil {
					t.Error(err)
					return
				}
				var q person
				if err := json.Unmarshal(data, &q); err != nil || !reflect.DeepEqual(p, q) {
					t.Errorf("%v, %v became %v", err, p, q)
					return
				}
			}
		})
	}
	wg.Wait()
}
