package library

// The packages of slices, maps, lists and orders.
var collections = []row{
	{"cmp", Harmless, "Compare Less Or"},
	{"container/heap", CallsBack, "Fix Init Pop Push Remove"},
	{"container/list", Contained, "" +
		"New Element.Next Element.Prev List.Back List.Front List.Init List.InsertAfter List.InsertBefore List.Len " +
		"List.MoveAfter List.MoveBefore List.MoveToBack List.MoveToFront List.PushBack List.PushBackList List.PushFront " +
		"List.PushFrontList List.Remove"},
	{"container/ring", Contained, "New Ring.Do Ring.Len Ring.Link Ring.Move Ring.Next Ring.Prev Ring.Unlink"},
	{"maps", Harmless, "Clone Collect Copy DeleteFunc Equal EqualFunc Insert"},
	{"maps", Harmless | Iterator, "All Keys Values"},
	{"slices", KeepsNothing, "" +
		"BinarySearch Compare CompareFunc Contains ContainsFunc Equal EqualFunc Index IndexFunc IsSorted IsSortedFunc " +
		"Sorted SortedFunc SortedStableFunc"},
	{"slices", KeepsNothing | ReadsElements, "Max MaxFunc Min MinFunc"},
	{"slices", KeepsNothing | WritesElements, "Reverse"},
	{"slices", KeepsNothing | SortsElements, "Sort SortFunc SortStableFunc"},
	{"slices", KeepsFirst, "Clip Compact CompactFunc Grow"},
	{"slices", Iterator, "All Backward Chunk Values"},
	{"slices", ReadsElements, "Clone"},
	{"sort", KeepsNothing | Contained, "Slice SliceIsSorted SliceStable"},
	{"sort", KeepsNothing | Contained, "Float64s Ints IntsAreSorted Search SearchFloat64s SearchInts SearchStrings Strings StringsAreSorted"},
	{"sort", Contained, "" +
		"Find Float64sAreSorted Float64Slice.Len Float64Slice.Less Float64Slice.Search Float64Slice.Swap IntSlice.Len " +
		"IntSlice.Less IntSlice.Search IntSlice.Swap StringSlice.Len StringSlice.Less StringSlice.Search " +
		"StringSlice.Swap"},
	{"sort", CallsBack, "IsSorted Reverse Sort Stable"},
}
