// Package gotypes answers questions about types and typed syntax that do not depend on what is
// recorded: types.Info and an expression -> what it calls, what kind its type has, which operands
// it is made of, and what package library knows of a function.
package gotypes
