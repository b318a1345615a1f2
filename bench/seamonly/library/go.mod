module example.org/racepred/seamonly/library

go 1.26
