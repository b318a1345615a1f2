module github.com/racepred/racepred

go 1.26.0

require (
	github.com/dave/dst v0.28.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/tools v0.52.0
)
