module example.org/racepred/stress

go 1.26
