package main

import (
	"bufio"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

type consumeArguments struct {
	BootstrapServers string `json:"bootstrap_servers"`
	Topic            string
	Partitions       []int32
	Offset           json.RawMessage
	Count            int
	TimeoutMs        int `json:"timeout_ms"`
}

func servers(bootstrap string) []string { return strings.Split(bootstrap, ",") }

func (a consumeArguments) start() (kgo.Offset, error) {
	switch string(a.Offset) {
	case `"earliest"`:
		return kgo.NewOffset().AtStart(), nil
	case `"latest"`:
		return kgo.NewOffset().AtEnd(), nil
	}
	var offset int64
	err := json.Unmarshal(a.Offset, &offset)
	return kgo.NewOffset().At(offset), err
}

func consume(arguments []byte, _ *bufio.Scanner) error {
	var asked consumeArguments
	if err := json.Unmarshal(arguments, &asked); err != nil {
		return err
	}
	start, err := asked.start()
	if err != nil {
		return err
	}
	parts := map[int32]kgo.Offset{}
	for _, partition := range asked.Partitions {
		parts[partition] = start
	}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(servers(asked.BootstrapServers)...), kgo.FetchMaxWait(200*time.Millisecond),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{asked.Topic: parts}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()), // an offset that is not there is an error
	)
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(asked.TimeoutMs)*time.Millisecond)
	defer cancel()
	got := 0
	for got < asked.Count && ctx.Err() == nil {
		fetches := client.PollRecords(ctx, asked.Count-got)
		for _, one := range fetches.Errors() {
			if ctx.Err() == nil {
				say(answer{"error": nameOf(one.Err)})
				return nil
			}
		}
		fetches.EachRecord(func(record *kgo.Record) {
			say(incoming(record))
			got++
		})
	}
	say(answer{"done": got})
	return nil
}

func incoming(record *kgo.Record) answer {
	headers := make([]header, 0, len(record.Headers))
	for _, one := range record.Headers {
		headers = append(headers, header(one))
	}
	return answer{
		"partition": record.Partition, "offset": record.Offset, "key": record.Key, "value": record.Value,
		"headers": headers, "timestamp_ms": record.Timestamp.UnixMilli(),
	}
}
