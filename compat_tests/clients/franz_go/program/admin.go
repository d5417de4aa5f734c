package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

const adminTimeout = 30 * time.Second

type adminArguments struct {
	BootstrapServers string `json:"bootstrap_servers"`
	Action           string
	Topic, Group     string
	Partitions       int32
	Partition        int32
	Total            int
	Before           int64
	At               json.RawMessage
	Configs          map[string]*string
	Set              map[string]string
	ValidateOnly     bool `json:"validate_only"`
}

var actions = map[string]func(ctx context.Context, client *kadm.Client, asked adminArguments) (answer, error){
	"create_topic": createTopic, "delete_topic": deleteTopic, "create_partitions": createPartitions,
	"describe_topic": describeTopic, "list_topics": listTopics, "describe_configs": describeConfigs,
	"alter_configs": alterConfigs, "list_offsets": listOffsets, "delete_records": deleteRecords,
	"list_groups": listGroups, "describe_group": describeGroup, "committed": committed,
	"delete_group": deleteGroup, "describe_cluster": describeCluster,
}

func admin(arguments []byte, _ *bufio.Scanner) error {
	var asked adminArguments
	if err := json.Unmarshal(arguments, &asked); err != nil {
		return err
	}
	act := actions[asked.Action]
	if act == nil {
		return fmt.Errorf("no action %q", asked.Action)
	}
	inner, err := kgo.NewClient(kgo.SeedBrokers(servers(asked.BootstrapServers)...))
	if err != nil {
		return err
	}
	defer inner.Close()
	ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
	defer cancel()
	found, err := act(ctx, kadm.NewClient(inner), asked)
	if err != nil {
		found = answer{"error": nameOf(err)}
	}
	say(found)
	return nil
}

func createTopic(ctx context.Context, client *kadm.Client, asked adminArguments) (answer, error) {
	create := client.CreateTopics
	if asked.ValidateOnly {
		create = client.ValidateCreateTopics
	}
	found, err := create(ctx, asked.Partitions, 1, asked.Configs, asked.Topic)
	if err != nil {
		return nil, err
	}
	return answer{}, found[asked.Topic].Err
}

func deleteTopic(ctx context.Context, client *kadm.Client, asked adminArguments) (answer, error) {
	_, err := client.DeleteTopic(ctx, asked.Topic)
	return answer{}, err
}

func createPartitions(ctx context.Context, client *kadm.Client, asked adminArguments) (answer, error) {
	found, err := client.UpdatePartitions(ctx, asked.Total, asked.Topic)
	if err != nil {
		return nil, err
	}
	return answer{}, found[asked.Topic].Err
}

func describeTopic(ctx context.Context, client *kadm.Client, asked adminArguments) (answer, error) {
	found, err := client.ListTopics(ctx, asked.Topic)
	if err != nil {
		return nil, err
	}
	partitions := []answer{}
	for _, one := range found[asked.Topic].Partitions.Sorted() {
		partitions = append(partitions, answer{
			"partition": one.Partition, "leader": one.Leader, "replicas": one.Replicas, "isr": one.ISR,
		})
	}
	return answer{"partitions": partitions}, found[asked.Topic].Err
}

func listTopics(ctx context.Context, client *kadm.Client, _ adminArguments) (answer, error) {
	found, err := client.ListTopics(ctx)
	return answer{"topics": found.Names()}, err
}

func describeConfigs(ctx context.Context, client *kadm.Client, asked adminArguments) (answer, error) {
	found, err := client.DescribeTopicConfigs(ctx, asked.Topic)
	if err != nil {
		return nil, err
	}
	one, err := found.On(asked.Topic, nil)
	if err != nil {
		return nil, err
	}
	configs := map[string]string{}
	for _, config := range one.Configs {
		configs[config.Key] = config.MaybeValue()
	}
	return answer{"configs": configs}, one.Err
}

func alterConfigs(ctx context.Context, client *kadm.Client, asked adminArguments) (answer, error) {
	changes := []kadm.AlterConfig{}
	for name, value := range asked.Set {
		changes = append(changes, kadm.AlterConfig{Op: kadm.SetConfig, Name: name, Value: &value})
	}
	found, err := client.AlterTopicConfigs(ctx, changes, asked.Topic)
	if err != nil {
		return nil, err
	}
	one, err := found.On(asked.Topic, nil)
	if err != nil {
		return nil, err
	}
	return answer{}, one.Err
}

func listOffsets(ctx context.Context, client *kadm.Client, asked adminArguments) (answer, error) {
	var found kadm.ListedOffsets
	var err error
	switch string(asked.At) {
	case `"earliest"`:
		found, err = client.ListStartOffsets(ctx, asked.Topic)
	case `"latest"`:
		found, err = client.ListEndOffsets(ctx, asked.Topic)
	default:
		var timestampMs int64
		if err := json.Unmarshal(asked.At, &timestampMs); err != nil {
			return nil, err
		}
		found, err = client.ListOffsetsAfterMilli(ctx, timestampMs, asked.Topic)
	}
	if err != nil {
		return nil, err
	}
	one, ok := found.Lookup(asked.Topic, asked.Partition)
	if !ok {
		return nil, fmt.Errorf("nothing was said about partition %d", asked.Partition)
	}
	return answer{"offset": one.Offset}, one.Err
}

func deleteRecords(ctx context.Context, client *kadm.Client, asked adminArguments) (answer, error) {
	before := kadm.Offsets{}
	before.AddOffset(asked.Topic, asked.Partition, asked.Before, -1)
	found, err := client.DeleteRecords(ctx, before)
	if err != nil {
		return nil, err
	}
	one, err := found.On(asked.Topic, asked.Partition, nil)
	if err != nil {
		return nil, err
	}
	return answer{"low_watermark": one.LowWatermark}, one.Err
}

func listGroups(ctx context.Context, client *kadm.Client, _ adminArguments) (answer, error) {
	found, err := client.ListGroups(ctx)
	return answer{"groups": found.Groups()}, err
}

func describeGroup(ctx context.Context, client *kadm.Client, asked adminArguments) (answer, error) {
	found, err := client.DescribeGroups(ctx, asked.Group)
	if err != nil {
		return nil, err
	}
	one := found[asked.Group]
	members := []answer{}
	for _, member := range one.Members {
		members = append(members, answer{
			"member_id": member.MemberID, "client_id": member.ClientID, "instance": member.InstanceID,
		})
	}
	return answer{"state": one.State, "members": members}, one.Err
}

func committed(ctx context.Context, client *kadm.Client, asked adminArguments) (answer, error) {
	found, err := client.FetchOffsets(ctx, asked.Group)
	if err != nil {
		return nil, err
	}
	offsets := map[string]int64{}
	found.Each(func(one kadm.OffsetResponse) {
		offsets[fmt.Sprintf("%s:%d", one.Topic, one.Partition)] = one.At
	})
	return answer{"offsets": offsets}, found.Error()
}

func deleteGroup(ctx context.Context, client *kadm.Client, asked adminArguments) (answer, error) {
	_, err := client.DeleteGroup(ctx, asked.Group)
	return answer{}, err
}

func describeCluster(ctx context.Context, client *kadm.Client, _ adminArguments) (answer, error) {
	found, err := client.BrokerMetadata(ctx)
	return answer{"cluster_id": found.Cluster, "brokers": found.Brokers.NodeIDs()}, err
}
