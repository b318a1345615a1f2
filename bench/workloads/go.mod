module example.org/racepred/workloads

go 1.26
