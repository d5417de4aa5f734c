package main

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const adminTimeout = 30 * time.Second

func createTopic(o options) (result, error) {
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = o.topic, int32(o.partitions), int16(o.replicas)
	request := kmsg.NewPtrCreateTopicsRequest()
	request.Topics = append(request.Topics, topic)
	request.TimeoutMillis = int32(adminTimeout.Milliseconds())
	return result{}, admin(o, func(ctx context.Context, client *kgo.Client) error {
		response, err := request.RequestWith(ctx, client)
		if err != nil {
			return err
		}
		if err := kerr.ErrorForCode(response.Topics[0].ErrorCode); err != nil {
			return err
		}
		return awaitLeaders(ctx, client, o)
	})
}

// awaitLeaders returns when every broker's own metadata has every partition, with all replicas in sync: that is after the
// answer to CreateTopics.
func awaitLeaders(ctx context.Context, client *kgo.Client, o options) error {
	topic := kmsg.NewMetadataRequestTopic()
	topic.Topic = kmsg.StringPtr(o.topic)
	request := kmsg.NewPtrMetadataRequest()
	request.Topics = append(request.Topics, topic)
	for _, broker := range client.SeedBrokers() {
		for led := -1; led != o.partitions; {
			response, err := request.RequestWith(ctx, broker)
			if err != nil {
				return err
			}
			led = 0
			for _, partition := range response.Topics[0].Partitions {
				if partition.ErrorCode == 0 && partition.Leader >= 0 && len(partition.ISR) == o.replicas {
					led++
				}
			}
			if led != o.partitions {
				time.Sleep(10 * time.Millisecond)
			}
		}
	}
	return nil
}

func deleteTopic(o options) (result, error) {
	topic := kmsg.NewDeleteTopicsRequestTopic()
	topic.Topic = kmsg.StringPtr(o.topic)
	request := kmsg.NewPtrDeleteTopicsRequest()
	request.TopicNames = []string{o.topic}
	request.Topics = append(request.Topics, topic)
	request.TimeoutMillis = int32(adminTimeout.Milliseconds())
	return result{}, admin(o, func(ctx context.Context, client *kgo.Client) error {
		response, err := request.RequestWith(ctx, client)
		if err != nil {
			return err
		}
		return kerr.ErrorForCode(response.Topics[0].ErrorCode)
	})
}

func admin(o options, act func(context.Context, *kgo.Client) error) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(o.servers()...))
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
	defer cancel()
	if err := act(ctx, client); err != nil {
		return fmt.Errorf("%s %s: %w", o.mode, o.topic, err)
	}
	return nil
}
