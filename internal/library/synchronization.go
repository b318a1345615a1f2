package library

// The packages whose values are made to be shared. They synchronize their own state, and the seam
// (internal/seam) sees how.
var synchronization = []row{
	{"context", Harmless, "" +
		"Background Cause TODO WithCancel WithCancelCause WithDeadline WithDeadlineCause WithTimeout WithTimeoutCause " +
		"WithValue WithoutCancel"},
	{"context", Harmless | Later, "AfterFunc"},
	{"errors", Harmless, "New"},
	{"errors", Contained, "As Is Join Unwrap"},
	{"os", Told, "File.Sync File.Write File.WriteString"},
	{"runtime", Harmless, "" +
		"Breakpoint CPUProfile Caller CallersFrames FuncForPC GC GOMAXPROCS GOROOT Goexit Gosched KeepAlive " +
		"LockOSThread NumCPU NumCgoCall NumGoroutine ReadTrace SetBlockProfileRate SetCPUProfileRate SetCgoTraceback " +
		"SetDefaultGOMAXPROCS SetMutexProfileFraction StartTrace StopTrace UnlockOSThread Version Cleanup.Stop " +
		"Func.Entry Func.FileLine Func.Name PanicNilError.Error PanicNilError.RuntimeError Pinner.Pin Pinner.Unpin " +
		"TypeAssertionError.Error TypeAssertionError.RuntimeError"},
	{"runtime", Fills | KeepsNothing, "Callers ReadMemStats Stack"},
	{"runtime", Harmless | Later, "AddCleanup SetFinalizer"},
	{"sync", Harmless, "" +
		"NewCond OnceFunc OnceValue OnceValues Cond.Broadcast Cond.Signal Cond.Wait Map.Clear Map.CompareAndDelete " +
		"Map.CompareAndSwap Map.Delete Map.Load Map.LoadAndDelete Map.LoadOrStore Map.Range Map.Store Map.Swap Pool.Put " +
		"RWMutex.RLocker"},
	{"sync", Harmless | KeepsNothing, "Once.Do"},
	{"sync", Harmless | KeepsNothing | OfGroup, "WaitGroup.Add WaitGroup.Done WaitGroup.Wait"},
	{"sync", Harmless | KeepsNothing | Locks, "Mutex.Lock Mutex.TryLock RWMutex.Lock RWMutex.TryLock"},
	{"sync", Harmless | KeepsNothing | RLocks, "RWMutex.RLock RWMutex.TryRLock"},
	{"sync", Harmless | KeepsNothing | Unlocks, "Mutex.Unlock RWMutex.RUnlock RWMutex.Unlock"},
	{"sync", Harmless | Later | OfGroup, "WaitGroup.Go"},
	{"sync", Harmless | FromPool, "Pool.Get"},
	{"sync", Locks, "Locker.Lock"},
	{"sync", Unlocks, "Locker.Unlock"},
	{"sync/atomic", Harmless, "" +
		"CompareAndSwapPointer LoadPointer StorePointer SwapPointer Pointer.CompareAndSwap Pointer.Load Pointer.Store " +
		"Pointer.Swap Uintptr.CompareAndSwap Uintptr.Load Uintptr.Store Uintptr.Swap Value.CompareAndSwap Value.Load " +
		"Value.Store Value.Swap"},
	{"sync/atomic", Harmless | KeepsNothing, "" +
		"CompareAndSwapInt32 CompareAndSwapInt64 CompareAndSwapUint32 CompareAndSwapUint64 CompareAndSwapUintptr " +
		"LoadInt32 LoadInt64 LoadUint32 LoadUint64 LoadUintptr StoreInt32 StoreInt64 StoreUint32 StoreUint64 " +
		"StoreUintptr SwapInt32 SwapInt64 SwapUint32 SwapUint64 SwapUintptr Bool.CompareAndSwap Bool.Load Bool.Store " +
		"Bool.Swap Int32.CompareAndSwap Int32.Load Int32.Store Int32.Swap Int64.CompareAndSwap Int64.Load Int64.Store " +
		"Int64.Swap Uint32.CompareAndSwap Uint32.Load Uint32.Store Uint32.Swap Uint64.CompareAndSwap Uint64.Load " +
		"Uint64.Store Uint64.Swap"},
	{"sync/atomic", Harmless | KeepsNothing | Commutes, "" +
		"AddInt32 AddInt64 AddUint32 AddUint64 AddUintptr Int32.Add Int32.And Int32.Or Int64.Add Int64.And Int64.Or " +
		"Uint32.Add Uint32.And Uint32.Or Uint64.Add Uint64.And Uint64.Or"},
	{"sync/atomic", Harmless | Commutes, "" +
		"AndInt32 AndInt64 AndUint32 AndUint64 AndUintptr OrInt32 OrInt64 OrUint32 OrUint64 OrUintptr Uintptr.Add " +
		"Uintptr.And Uintptr.Or"},
	{"testing", Harmless, "" +
		"AllocsPerRun Benchmark CoverMode Coverage Init Main MainStart RegisterCover RunBenchmarks RunExamples RunTests " +
		"Short Testing Verbose B.Elapsed B.Loop B.ReportAllocs B.ReportMetric B.ResetTimer B.Run B.RunParallel " +
		"B.SetBytes B.SetParallelism B.StartTimer B.StopTimer BenchmarkResult.AllocedBytesPerOp " +
		"BenchmarkResult.AllocsPerOp BenchmarkResult.MemString BenchmarkResult.NsPerOp BenchmarkResult.String F.Add " +
		"F.Fail F.Fuzz F.Helper F.Skipped M.Run PB.Next T.Chdir T.Deadline T.Parallel T.Run T.Setenv common.ArtifactDir " +
		"common.Attr common.Chdir common.Context common.Error common.Errorf common.Fail common.FailNow common.Failed " +
		"common.Fatal common.Fatalf common.Helper common.Log common.Logf common.Name common.Output common.Setenv " +
		"common.Skip common.SkipNow common.Skipf common.Skipped common.TempDir"},
	{"testing", Harmless | Later, "common.Cleanup"},
	{"time", Harmless, "" +
		"After FixedZone LoadLocation NewTicker NewTimer Now Parse ParseDuration Since Sleep Tick Unix UnixMicro " +
		"UnixMilli Until Duration.Abs Duration.Hours Duration.Microseconds Duration.Milliseconds Duration.Minutes " +
		"Duration.Nanoseconds Duration.Round Duration.Seconds Duration.String Duration.Truncate Month.String Time.Add " +
		"Time.AddDate Time.After Time.Before Time.Clock Time.Compare Time.Date Time.Day Time.Equal Time.Format " +
		"Time.GoString Time.GobEncode Time.Hour Time.ISOWeek Time.IsDST Time.IsZero Time.Local Time.Location " +
		"Time.MarshalBinary Time.MarshalJSON Time.MarshalText Time.Minute Time.Month Time.Nanosecond Time.Round " +
		"Time.Second Time.String Time.Sub Time.Truncate Time.UTC Time.Unix Time.UnixMicro Time.UnixMilli Time.UnixNano " +
		"Time.Weekday Time.Year Time.YearDay Time.Zone Time.ZoneBounds Weekday.String"},
	{"time", Contained, "Ticker.Reset Ticker.Stop Timer.Reset Timer.Stop"},
	{"time", Harmless | Later, "AfterFunc"},
	{"unique", Harmless, "Make Handle.Value"},
	{"weak", Harmless, "Make Pointer.Value"},
}
