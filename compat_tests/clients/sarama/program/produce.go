package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"time"

	"github.com/IBM/sarama"
)

type produceArguments struct {
	BootstrapServers string `json:"bootstrap_servers"`
	Topic            string
	Acks             int16
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

func (o outgoing) message(topic string) *sarama.ProducerMessage {
	made := &sarama.ProducerMessage{Topic: topic}
	if o.Key != nil {
		made.Key = sarama.ByteEncoder(o.Key)
	}
	if o.Value != nil {
		made.Value = sarama.ByteEncoder(o.Value)
	}
	for _, one := range o.Headers {
		made.Headers = append(made.Headers, sarama.RecordHeader(one))
	}
	if o.Partition != nil {
		made.Partition = *o.Partition
	}
	if o.TimestampMs != nil {
		made.Timestamp = time.UnixMilli(*o.TimestampMs)
	}
	return made
}

var codecs = map[string]sarama.CompressionCodec{
	"none": sarama.CompressionNone, "gzip": sarama.CompressionGZIP, "snappy": sarama.CompressionSnappy,
	"lz4": sarama.CompressionLZ4, "zstd": sarama.CompressionZSTD,
}

func (a produceArguments) config() (*sarama.Config, error) {
	made, err := config()
	if err != nil {
		return nil, err
	}
	made.Producer.RequiredAcks = sarama.RequiredAcks(a.Acks)
	made.Producer.Compression = codecs[a.Compression]
	made.Producer.Return.Successes = true
	made.Producer.Partitioner = sarama.NewManualPartitioner
	for _, one := range a.Records {
		if one.Partition == nil {
			made.Producer.Partitioner = sarama.NewMurmur2Partitioner
		}
	}
	if a.Idempotent {
		made.Producer.Idempotent = true
		made.Net.MaxOpenRequests = 1
	}
	return made, nil
}

func produce(arguments []byte, _ *bufio.Scanner) error {
	var asked produceArguments
	if err := json.Unmarshal(arguments, &asked); err != nil {
		return err
	}
	settings, err := asked.config()
	if err != nil {
		return err
	}
	producer, err := sarama.NewSyncProducer(servers(asked.BootstrapServers), settings)
	if err != nil {
		return err
	}
	messages := []*sarama.ProducerMessage{}
	for _, one := range asked.Records {
		messages = append(messages, one.message(asked.Topic))
	}
	failed := map[*sarama.ProducerMessage]error{}
	if err := producer.SendMessages(messages); err != nil {
		var told sarama.ProducerErrors
		if !errors.As(err, &told) {
			return err
		}
		for _, one := range told {
			failed[one.Msg] = one.Err
		}
	}
	for _, message := range messages {
		switch {
		case failed[message] != nil:
			say(answer{"error": nameOf(failed[message])})
		case asked.Acks == 0:
			say(answer{"partition": message.Partition, "offset": -1}) // the broker told none
		default:
			say(answer{"partition": message.Partition, "offset": message.Offset})
		}
	}
	return producer.Close()
}
