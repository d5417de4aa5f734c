package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	deliveryTimeout = 20 * time.Second
	maxBatchBytes   = 1 << 20 // about what a broker takes; a record of a megabyte fits in it with its batch
)

type produceArguments struct {
	BootstrapServers string `json:"bootstrap_servers"`
	Topic            string
	Acks             int
	Compression      string
	Idempotent       bool
	Records          []outgoing
}

type outgoing struct {
	Partition   *int32
	Key, Value  []byte
	Headers     []header
	TimestampMs *int64 `json:"timestamp_ms"`
}

func (o outgoing) record() *kgo.Record {
	made := &kgo.Record{Key: o.Key, Value: o.Value}
	for _, one := range o.Headers {
		made.Headers = append(made.Headers, kgo.RecordHeader(one))
	}
	if o.Partition != nil {
		made.Partition = *o.Partition
	}
	if o.TimestampMs != nil {
		made.Timestamp = time.UnixMilli(*o.TimestampMs)
	}
	return made
}

var (
	codecs = map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
	acks = map[int]kgo.Acks{0: kgo.NoAck(), 1: kgo.LeaderAck(), -1: kgo.AllISRAcks()}
)

func (a produceArguments) options() []kgo.Opt {
	options := []kgo.Opt{
		kgo.SeedBrokers(servers(a.BootstrapServers)...), kgo.DefaultProduceTopic(a.Topic),
		kgo.RequiredAcks(acks[a.Acks]), kgo.ProducerBatchCompression(codecs[a.Compression]),
		kgo.ProducerBatchMaxBytes(maxBatchBytes), kgo.RecordPartitioner(a.partitioner()),
	}
	if !a.Idempotent {
		options = append(options, kgo.DisableIdempotentWrite())
	}
	return options
}

// partitioner is franz-go's own where records name no partition.
func (a produceArguments) partitioner() kgo.Partitioner {
	for _, one := range a.Records {
		if one.Partition == nil {
			return kgo.StickyKeyPartitioner(nil)
		}
	}
	return kgo.ManualPartitioner()
}

func produce(arguments []byte, _ *bufio.Scanner) error {
	var asked produceArguments
	if err := json.Unmarshal(arguments, &asked); err != nil {
		return err
	}
	client, err := kgo.NewClient(asked.options()...)
	if err != nil {
		return err
	}
	defer client.Close()
	// not RecordDeliveryTimeout, which counts from a record's own timestamp
	ctx, cancel := context.WithTimeout(context.Background(), deliveryTimeout)
	defer cancel()
	answers := make([]answer, len(asked.Records))
	for n, one := range asked.Records {
		client.Produce(ctx, one.record(), func(sent *kgo.Record, err error) {
			switch {
			case err != nil:
				answers[n] = answer{"error": nameOf(err)}
			case asked.Acks == 0:
				answers[n] = answer{"partition": sent.Partition, "offset": -1} // the broker told none
			default:
				answers[n] = answer{"partition": sent.Partition, "offset": sent.Offset}
			}
		})
	}
	if err := client.Flush(context.Background()); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	for _, one := range answers {
		say(one)
	}
	return nil
}
