package main

import (
	"bufio"
	"context"
	"encoding/json"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// steady sends a record every so often, with the client's defaults, and answers for each, until its input ends.
func steady(arguments []byte, input *bufio.Scanner) error {
	var asked struct {
		BootstrapServers string `json:"bootstrap_servers"`
		Topic            string
		EveryMs          int64 `json:"every_ms"`
	}
	if err := json.Unmarshal(arguments, &asked); err != nil {
		return err
	}
	options := []kgo.Opt{kgo.SeedBrokers(servers(asked.BootstrapServers)...), kgo.DefaultProduceTopic(asked.Topic)}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return err
	}
	over := make(chan struct{})
	go func() {
		for input.Scan() {
		}
		close(over)
	}()
	ticks := time.NewTicker(time.Duration(asked.EveryMs) * time.Millisecond)
	for {
		select {
		case <-over:
			return nil
		case <-ticks.C:
			client.Produce(context.Background(), kgo.StringRecord("steady"), func(_ *kgo.Record, err error) {
				if err != nil {
					say(answer{"error": nameOf(err)})
				} else {
					say(answer{"acked": true})
				}
			})
		}
	}
}
