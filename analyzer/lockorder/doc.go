// Package lockorder finds mutexes that are taken in different orders.
//
// WRONG:
//
//	func (a *Account) Audit(b *Bank) { a.mu.Lock(); b.mu.Lock(); ... } // Account.mu, then Bank.mu
//	func (b *Bank) Pay(a *Account) { b.mu.Lock(); a.mu.Lock(); ... }   // Bank.mu, then Account.mu
//
// RIGHT: one order everywhere, or the first is given back before the second is taken.
//
// Every acquisition of a lock while another is held, in one function or through calls, is an edge
// of a graph; so it is for what functions of other packages acquire, which they say by facts. Each
// cycle of the graph is reported once, at its first edge in the package, with the others.
//
//   - (K1) Locks are told apart by class: the struct type and the field, or the package variable.
//     That they are of the same objects is not known.
//   - (K2) An edge counts if the first lock is certainly held, and not of the same class.
//   - (K3) No cycle is reported if two of its edges have a lock in common that is held at both (a
//     gate), or if a lock of it is taken for reading on both of its edges.
//   - (K4) Nor if one goroutine alone has all of its edges, nor for what TryLock takes, which does
//     not wait.
//   - (K5) Two locks of one class are reported in one case: a function takes those of its receiver
//     and of a parameter, one after the other, without a look at which comes first.
//   - (K6) A cycle that has an edge in common with one that is reported, and is no shorter, is not:
//     it may go with that one.
package lockorder
