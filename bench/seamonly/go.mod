module example.org/racepred/seamonly

go 1.26

require example.org/racepred/seamonly/library v0.0.0

replace example.org/racepred/seamonly/library => ./library
