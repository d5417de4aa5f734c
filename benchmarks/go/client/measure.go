package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ticksPerSecond is the unit of the times in /proc/PID/stat, the same on every Linux that Go runs on.
const ticksPerSecond = 100

// interval is the counted part of a run.
type interval struct {
	pids   []string
	start  time.Time
	broker float64
	user   float64
	client float64
}

func begin(o options) interval {
	i := interval{}
	if o.pids != "" {
		i.pids = strings.Split(o.pids, ",")
	}
	i.broker, i.user = cpuOf(i.pids)
	i.client = ownCPU()
	i.start = time.Now()
	return i
}

func (i interval) end(r *result) {
	r.Seconds = time.Since(i.start).Seconds()
	broker, user := cpuOf(i.pids)
	r.BrokerCPU, r.BrokerUser = broker-i.broker, user-i.user
	r.ClientCPU = ownCPU() - i.client
}

// cpuOf sums the time of the processes in seconds: all of it, and the part outside the kernel. A process that is gone
// stops the run.
func cpuOf(pids []string) (total, outside float64) {
	for _, pid := range pids {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil {
			fail(fmt.Errorf("the broker is gone: %w", err))
		}
		text := string(stat)
		fields := strings.Fields(text[strings.LastIndex(text, ")")+1:])
		user, _ := strconv.ParseFloat(fields[11], 64)
		system, _ := strconv.ParseFloat(fields[12], 64)
		total += (user + system) / ticksPerSecond
		outside += user / ticksPerSecond
	}
	return total, outside
}

func ownCPU() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		fail(err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(used.Utime) + seconds(used.Stime)
}

func (r *result) latencies(all []time.Duration) {
	if len(all) == 0 {
		return
	}
	sort.Slice(all, func(a, b int) bool { return all[a] < all[b] })
	at := func(share float64) float64 {
		return float64(all[int(share*float64(len(all)-1))].Nanoseconds()) / 1e3
	}
	r.P50, r.P99, r.P999 = at(0.5), at(0.99), at(0.999)
}
