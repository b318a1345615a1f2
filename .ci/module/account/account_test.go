package account

import (
	"sync"
	"testing"
)

func TestNoRaceDeposit(t *testing.T) {
	var a Account
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { a.Deposit(1) })
	}
	wg.Wait()
	if a.Balance() != 4 {
		t.Error(a.Balance())
	}
}

func TestRaceBalance(t *testing.T) {
	var a Account
	var wg sync.WaitGroup
	wg.Go(func() { a.Deposit(1) })
	_ = a.Balance()
	wg.Wait()
}
