package main

import (
	"bufio"
	"encoding/json"
	"time"

	"github.com/IBM/sarama"
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
	settings := sarama.NewConfig()
	settings.Producer.Return.Successes = true // to be told of them, which changes nothing else
	producer, err := sarama.NewAsyncProducer(servers(asked.BootstrapServers), settings)
	if err != nil {
		return err
	}
	over := make(chan struct{})
	go func() {
		for input.Scan() {
		}
		close(over)
	}()
	go func() {
		for range producer.Successes() {
			say(answer{"acked": true})
		}
	}()
	go func() {
		for failed := range producer.Errors() {
			say(answer{"error": nameOf(failed.Err)})
		}
	}()
	ticks := time.NewTicker(time.Duration(asked.EveryMs) * time.Millisecond)
	for {
		select {
		case <-over:
			return nil
		case <-ticks.C:
			producer.Input() <- &sarama.ProducerMessage{Topic: asked.Topic, Value: sarama.StringEncoder("steady")}
		}
	}
}
