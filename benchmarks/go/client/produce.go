package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	bufferedRecords = 100_000
	bufferedBytes   = 64 << 20
	lingerBulk      = 5 * time.Millisecond
)

func producer(o options, linger time.Duration) (*kgo.Client, error) {
	settings := []kgo.Opt{
		kgo.SeedBrokers(o.servers()...), kgo.DefaultProduceTopic(o.topic),
		kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.ProducerLinger(linger),
		kgo.MaxBufferedRecords(bufferedRecords), kgo.MaxBufferedBytes(bufferedBytes),
		kgo.RecordRetries(o.retries),
	}
	if o.batchBytes > 0 {
		settings = append(settings, kgo.ProducerBatchMaxBytes(int32(o.batchBytes)))
	}
	switch o.acks {
	case "all":
		settings = append(settings, kgo.RequiredAcks(kgo.AllISRAcks()))
	case "1":
		settings = append(settings, kgo.RequiredAcks(kgo.LeaderAck()), kgo.DisableIdempotentWrite())
	case "0":
		settings = append(settings, kgo.RequiredAcks(kgo.NoAck()), kgo.DisableIdempotentWrite())
	default:
		return nil, fmt.Errorf("acks %q", o.acks)
	}
	return kgo.NewClient(settings...)
}

// produce writes o.records records as fast as it can; one that is refused ends the run. The first record, which pays for
// connecting and for the producer id, is written before the clock starts.
func produce(o options) (result, error) {
	client, err := producer(o, lingerBulk)
	if err != nil {
		return result{}, err
	}
	defer client.Close()
	values := newPayload(0, o.size)
	first := &kgo.Record{Value: make([]byte, o.size)}
	total := values.fill(first.Value)
	ctx := context.Background()
	if err := client.ProduceSync(ctx, first).FirstErr(); err != nil {
		return result{}, err
	}
	pool := sync.Pool{New: func() any { return &kgo.Record{Value: make([]byte, o.size)} }}
	var failure atomic.Pointer[error]
	done := func(record *kgo.Record, err error) {
		if err != nil {
			failure.CompareAndSwap(nil, &err)
		}
		value := record.Value
		*record = kgo.Record{Value: value}
		pool.Put(record)
	}
	counted := begin(o)
	for n := int64(1); n < o.records && failure.Load() == nil; n++ {
		record := pool.Get().(*kgo.Record)
		total += values.fill(record.Value)
		client.Produce(ctx, record, done)
	}
	if err := client.Flush(ctx); err != nil {
		return result{}, err
	}
	written := o.records - 1
	found := result{Records: written, Bytes: written * int64(o.size), Count: o.records, Checksum: total}
	counted.end(&found)
	if failed := failure.Load(); failed != nil {
		return result{}, fmt.Errorf("produce: %w", *failed)
	}
	return found, nil
}

// through writes as produce does while a consumer reads, and ends when everything was read.
func through(o options) (result, error) {
	receiver, err := consumer(o, kgo.NewOffset().AtStart())
	if err != nil {
		return result{}, err
	}
	defer receiver.Close()
	var failure error
	var total uint64
	var read sync.WaitGroup
	read.Add(1)
	go func() {
		defer read.Done()
		ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
		defer cancel()
		for count := int64(0); count < o.records; {
			fetches := receiver.PollFetches(ctx)
			if failure = fetches.Err(); failure != nil {
				return
			}
			fetches.EachRecord(func(record *kgo.Record) { total += sum(record.Value); count++ })
		}
	}()
	counted := begin(o)
	found, err := produce(o)
	if err != nil {
		return result{}, err
	}
	read.Wait()
	counted.end(&found)
	if failure == nil && total != found.Checksum {
		failure = fmt.Errorf("read while writing: checksum %d, written: %d", total, found.Checksum)
	}
	return found, failure
}

// pinger sends one record at a time and remembers how long each took.
type pinger struct {
	latencies []time.Duration
	count     int64
	checksum  uint64
	err       error
}

// run pings until stop is closed; only what begins after counting is set is remembered.
func (p *pinger) run(client *kgo.Client, values *payload, size int, counting, stop *atomic.Bool) {
	ctx := context.Background()
	for !stop.Load() {
		record := &kgo.Record{Value: make([]byte, size)}
		checksum := values.fill(record.Value)
		remember, start := counting.Load(), time.Now()
		if p.err = client.ProduceSync(ctx, record).FirstErr(); p.err != nil {
			return
		}
		if remember && counting.Load() {
			p.latencies = append(p.latencies, time.Since(start))
		}
		p.count++
		p.checksum += checksum
	}
}

// ping has o.clients clients with a connection each, every one of them with one record in flight.
func ping(o options) (result, error) {
	pingers := make([]*pinger, o.clients)
	var counting, stop atomic.Bool
	var running sync.WaitGroup
	for n := range pingers {
		client, err := producer(o, 0)
		if err != nil {
			return result{}, err
		}
		defer client.Close()
		pingers[n] = &pinger{latencies: make([]time.Duration, 0, 1<<18)}
		running.Add(1)
		go func() {
			defer running.Done()
			pingers[n].run(client, newPayload(n, o.size), o.size, &counting, &stop)
		}()
	}
	sleep(o.warmUp)
	counting.Store(true)
	counted := begin(o)
	sleep(o.seconds)
	found := result{}
	counted.end(&found)
	counting.Store(false)
	stop.Store(true)
	running.Wait()
	var all []time.Duration
	for _, p := range pingers {
		if p.err != nil {
			return result{}, fmt.Errorf("ping: %w", p.err)
		}
		all = append(all, p.latencies...)
		found.Count += p.count
		found.Checksum += p.checksum
	}
	found.Records = int64(len(all))
	found.Bytes = found.Records * int64(o.size)
	found.latencies(all)
	return found, nil
}

func sleep(seconds float64) { time.Sleep(time.Duration(seconds * float64(time.Second))) }
