// One load generator for every broker: it produces, reads back and pings with franz-go, and prints what it saw as JSON.
//
// The broker's CPU time is read from /proc at both ends of the counted interval, here and not in the caller, so that
// connecting, creating topics and warming up do not count.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
)

type options struct {
	brokers        string
	mode           string
	topic          string
	size           int
	records        int64
	partitions     int
	replicas       int
	batchBytes     int
	retries        int
	acks           string
	clients        int
	seconds        float64
	warmUp         float64
	passes         int
	fetchBytes     int
	pids           string
	count          int64
	checksum       uint64
	perTransaction int
	abortEvery     int64
	isolation      string
}

// result is what one run saw. Times are in seconds, latencies in microseconds.
type result struct {
	Mode         string  `json:"mode"`
	Records      int64   `json:"records"`
	Bytes        int64   `json:"bytes"`
	Seconds      float64 `json:"seconds"`
	BrokerCPU    float64 `json:"broker_cpu_s"`
	BrokerUser   float64 `json:"broker_user_s"` // the part of it outside the kernel
	ClientCPU    float64 `json:"client_cpu_s"`
	Transactions int64   `json:"transactions,omitempty"`
	FirstP50     float64 `json:"first_p50_us,omitempty"` // of the first record of a transaction
	P50          float64 `json:"p50_us,omitempty"`
	P99          float64 `json:"p99_us,omitempty"`
	P999         float64 `json:"p999_us,omitempty"`
	Count        int64   `json:"count"`
	Checksum     uint64  `json:"checksum"`
	AllCount     int64   `json:"all_count,omitempty"` // with aborted records
	AllChecksum  uint64  `json:"all_checksum,omitempty"`
}

func main() {
	var o options
	flag.StringVar(&o.brokers, "brokers", "", "bootstrap servers")
	flag.StringVar(&o.mode, "mode", "", "create, delete, produce, consume, through, ping, roundtrip or transact")
	flag.StringVar(&o.topic, "topic", "benchmark", "topic")
	flag.IntVar(&o.size, "size", 1024, "bytes in a record's value")
	flag.Int64Var(&o.records, "records", 0, "records to produce")
	flag.IntVar(&o.partitions, "partitions", 1, "partitions of a created topic")
	flag.IntVar(&o.replicas, "replicas", 1, "replicas of a created topic, which are to be in sync")
	flag.IntVar(&o.batchBytes, "batch-bytes", 0, "limit of a batch; 0: franz-go's own")
	flag.IntVar(&o.retries, "retries", 0, "how often a record is sent again; with 0 one that is refused ends the run")
	flag.StringVar(&o.acks, "acks", "all", "all, 1 or 0")
	flag.IntVar(&o.clients, "clients", 1, "clients that ping or consume side by side")
	flag.Float64Var(&o.seconds, "seconds", 5, "counted time of ping and roundtrip")
	flag.Float64Var(&o.warmUp, "warm-up", 0.5, "uncounted time before, in seconds")
	flag.IntVar(&o.passes, "passes", 1, "how often everything is read")
	flag.IntVar(&o.fetchBytes, "fetch-bytes", 0, "limit of a fetch and of each partition in it; 0: franz-go's own")
	flag.StringVar(&o.pids, "pids", "", "process ids of the broker, for its CPU time")
	flag.Int64Var(&o.count, "count", 0, "records that must be read back")
	flag.Uint64Var(&o.checksum, "checksum", 0, "checksum that must be read back")
	flag.IntVar(&o.perTransaction, "per-transaction", 1, "records of a transaction")
	flag.Int64Var(&o.abortEvery, "abort-every", 0, "one of so many transactions is aborted; 0: none")
	flag.StringVar(&o.isolation, "isolation", "", "committed or uncommitted, of a topic with transactions, whose end may lie behind its records")
	flag.Parse()
	modes := map[string]func(options) (result, error){
		"create": createTopic, "delete": deleteTopic,
		"produce": produce, "consume": consume, "through": through, "ping": ping, "roundtrip": roundTrip,
		"transact": transact,
	}
	run, known := modes[o.mode]
	if !known {
		fail(fmt.Errorf("no mode %q", o.mode))
	}
	found, err := run(o)
	if err != nil {
		fail(err)
	}
	found.Mode = o.mode
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		fail(err)
	}
}

func (o options) servers() []string { return strings.Split(o.brokers, ",") }

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
