package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const readTimeout = 120 * time.Second

func consumer(o options, offset kgo.Offset) (*kgo.Client, error) {
	settings := []kgo.Opt{
		kgo.SeedBrokers(o.servers()...), kgo.ConsumeTopics(o.topic), kgo.ConsumeResetOffset(offset),
	}
	if o.isolation == "committed" {
		settings = append(settings, kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	}
	if o.fetchBytes > 0 {
		settings = append(settings, kgo.FetchMaxBytes(int32(o.fetchBytes)), kgo.FetchMaxPartitionBytes(int32(o.fetchBytes)),
			kgo.BrokerMaxReadBytes(int32(2*o.fetchBytes)))
	}
	return kgo.NewClient(settings...)
}

// consume reads everything o.passes times with o.clients clients side by side. It fails unless every pass of every
// client has the count and the checksum that were asked for, and the topic ends there.
func consume(o options) (result, error) {
	counted := begin(o)
	var running sync.WaitGroup
	errs := make([]error, o.clients)
	for n := range errs {
		running.Add(1)
		go func() {
			defer running.Done()
			for pass := 0; pass < o.passes && errs[n] == nil; pass++ {
				errs[n] = readAll(o)
			}
		}()
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		return result{}, err
	}
	reads := int64(o.passes) * int64(o.clients)
	found := result{Records: o.count * reads, Bytes: o.count * reads * int64(o.size), Count: o.count, Checksum: o.checksum}
	counted.end(&found)
	return found, nil
}

func readAll(o options) error {
	client, err := consumer(o, kgo.NewOffset().AtStart())
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	var count int64
	var checksum uint64
	ends := map[int32]int64{}
	for count < o.count {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return fmt.Errorf("read %d of %d records: %w", count, o.count, err)
		}
		fetches.EachPartition(func(part kgo.FetchTopicPartition) {
			ends[part.Partition] = part.HighWatermark
			for _, record := range part.Records {
				checksum += sum(record.Value)
			}
			count += int64(len(part.Records))
		})
	}
	var end int64
	for _, offset := range ends {
		end += offset
	}
	if count != o.count || checksum != o.checksum || (o.partitions == 1 && !o.hasMarkers() && end != o.count) {
		return fmt.Errorf("read back: %d records, checksum %d, end offset %d; written: %d records, checksum %d",
			count, checksum, end, o.count, o.checksum)
	}
	return nil
}

// hasMarkers says whether offsets are taken by what no consumer gets: markers, and records that were aborted.
func (o options) hasMarkers() bool { return o.isolation != "" }

// roundTrip writes one record, waits until a consumer that polls has it, and writes the next.
func roundTrip(o options) (result, error) {
	sender, err := producer(o, 0)
	if err != nil {
		return result{}, err
	}
	defer sender.Close()
	receiver, err := consumer(o, kgo.NewOffset().AtStart())
	if err != nil {
		return result{}, err
	}
	defer receiver.Close()
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	values := newPayload(0, o.size)
	found := result{}
	if err := trips(ctx, o.warmUp, sender, receiver, values, o.size, &found, nil); err != nil {
		return result{}, err
	}
	var all []time.Duration
	counted := begin(o)
	if err := trips(ctx, o.seconds, sender, receiver, values, o.size, &found, &all); err != nil {
		return result{}, err
	}
	counted.end(&found)
	found.Records = int64(len(all))
	found.Bytes = found.Records * int64(o.size)
	found.latencies(all)
	return found, nil
}

func trips(ctx context.Context, seconds float64, sender, receiver *kgo.Client, values *payload, size int, found *result, all *[]time.Duration) error {
	for end := time.Now().Add(time.Duration(seconds * float64(time.Second))); time.Now().Before(end); {
		record := &kgo.Record{Value: make([]byte, size)}
		checksum := values.fill(record.Value)
		number := binary.BigEndian.Uint64(record.Value)
		start := time.Now()
		sender.Produce(ctx, record, nil)
		fetches := receiver.PollFetches(ctx)
		took := time.Since(start)
		if err := fetches.Err(); err != nil {
			return err
		}
		got := fetches.Records()
		if len(got) != 1 || binary.BigEndian.Uint64(got[0].Value) != number {
			return fmt.Errorf("sent record %d, got %d records", number, len(got))
		}
		found.Count++
		found.Checksum += checksum
		if all != nil {
			*all = append(*all, took)
		}
	}
	return nil
}
