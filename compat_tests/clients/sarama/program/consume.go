package main

import (
	"bufio"
	"encoding/json"
	"time"

	"github.com/IBM/sarama"
)

type consumeArguments struct {
	BootstrapServers string `json:"bootstrap_servers"`
	Topic            string
	Partitions       []int32
	Offset           json.RawMessage
	Count            int
	TimeoutMs        int `json:"timeout_ms"`
}

// offsetOf reads `"earliest"`, `"latest"` or a number, which is an offset or a time.
func offsetOf(text json.RawMessage) (int64, error) {
	switch string(text) {
	case `"earliest"`:
		return sarama.OffsetOldest, nil
	case `"latest"`:
		return sarama.OffsetNewest, nil
	}
	var number int64
	err := json.Unmarshal(text, &number)
	return number, err
}

func consume(arguments []byte, _ *bufio.Scanner) error {
	var asked consumeArguments
	if err := json.Unmarshal(arguments, &asked); err != nil {
		return err
	}
	start, err := offsetOf(asked.Offset)
	if err != nil {
		return err
	}
	settings, err := config()
	if err != nil {
		return err
	}
	consumer, err := sarama.NewConsumer(servers(asked.BootstrapServers), settings)
	if err != nil {
		return err
	}
	messages, failures := make(chan *sarama.ConsumerMessage), make(chan error)
	for _, partition := range asked.Partitions {
		part, err := consumer.ConsumePartition(asked.Topic, partition, start)
		if err != nil {
			say(answer{"error": nameOf(err)})
			return nil
		}
		go func() {
			for one := range part.Messages() {
				messages <- one
			}
		}()
		go func() {
			for one := range part.Errors() {
				failures <- one
			}
		}()
	}
	timeout := time.After(time.Duration(asked.TimeoutMs) * time.Millisecond)
	for got := 0; ; got++ {
		if got == asked.Count {
			say(answer{"done": got})
			return nil
		}
		select {
		case one := <-messages:
			say(incoming(one))
		case err := <-failures:
			say(answer{"error": nameOf(err)})
			return nil
		case <-timeout:
			say(answer{"done": got})
			return nil
		}
	}
}

func incoming(message *sarama.ConsumerMessage) answer {
	headers := make([]header, 0, len(message.Headers))
	for _, one := range message.Headers {
		headers = append(headers, header(*one))
	}
	return answer{
		"partition": message.Partition, "offset": message.Offset, "key": message.Key, "value": message.Value,
		"headers": headers, "timestamp_ms": message.Timestamp.UnixMilli(),
	}
}
