package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/IBM/sarama"
)

type adminArguments struct {
	BootstrapServers string `json:"bootstrap_servers"`
	Action           string
	Topic, Group     string
	Partitions       int32
	Partition        int32
	Total            int32
	Before           int64
	At               json.RawMessage
	Configs          map[string]*string
	Set              map[string]string
	ValidateOnly     bool `json:"validate_only"`
}

// cluster is the admin client and the client below it, for what the admin client does not tell.
type cluster struct {
	sarama.ClusterAdmin
	client sarama.Client
}

var actions = map[string]func(on cluster, asked adminArguments) (answer, error){
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
	settings, err := config()
	if err != nil {
		return err
	}
	client, err := sarama.NewClient(servers(asked.BootstrapServers), settings)
	if err != nil {
		return err
	}
	on, err := sarama.NewClusterAdminFromClient(client)
	if err != nil {
		return err
	}
	found, err := act(cluster{on, client}, asked)
	if err != nil {
		found = answer{"error": nameOf(err)}
	}
	say(found)
	return on.Close()
}

// failure is the error that a code stands for, nil for none.
func failure(code sarama.KError) error {
	if code == sarama.ErrNoError {
		return nil
	}
	return code
}

func createTopic(on cluster, asked adminArguments) (answer, error) {
	detail := &sarama.TopicDetail{NumPartitions: asked.Partitions, ReplicationFactor: 1, ConfigEntries: asked.Configs}
	return answer{}, on.CreateTopic(asked.Topic, detail, asked.ValidateOnly)
}

func deleteTopic(on cluster, asked adminArguments) (answer, error) {
	return answer{}, on.DeleteTopic(asked.Topic)
}

func createPartitions(on cluster, asked adminArguments) (answer, error) {
	return answer{}, on.CreatePartitions(asked.Topic, asked.Total, nil, false)
}

func describeTopic(on cluster, asked adminArguments) (answer, error) {
	found, err := on.DescribeTopics([]string{asked.Topic})
	if err != nil {
		return nil, err
	}
	partitions := []answer{}
	for _, one := range found[0].Partitions {
		partitions = append(partitions, answer{
			"partition": one.ID, "leader": one.Leader, "replicas": one.Replicas, "isr": one.Isr,
		})
	}
	return answer{"partitions": partitions}, failure(found[0].Err)
}

func listTopics(on cluster, _ adminArguments) (answer, error) {
	found, err := on.ListTopics()
	topics := []string{}
	for name := range found {
		topics = append(topics, name)
	}
	return answer{"topics": topics}, err
}

func describeConfigs(on cluster, asked adminArguments) (answer, error) {
	wanted := &sarama.ConfigResource{Type: sarama.TopicResource, Name: asked.Topic}
	found, err := on.DescribeConfigs([]*sarama.ConfigResource{wanted}, sarama.DescribeConfigsOptions{})
	if err != nil {
		return nil, err
	}
	configs := map[string]string{}
	for _, one := range found[0].Configs {
		configs[one.Name] = one.Value
	}
	return answer{"configs": configs}, failure(found[0].ErrorCode)
}

func alterConfigs(on cluster, asked adminArguments) (answer, error) {
	changes := map[string]sarama.IncrementalAlterConfigsEntry{}
	for name, value := range asked.Set {
		changes[name] = sarama.IncrementalAlterConfigsEntry{
			Operation: sarama.IncrementalAlterConfigsOperationSet, Value: &value,
		}
	}
	return answer{}, on.IncrementalAlterConfig(sarama.TopicResource, asked.Topic, changes, false)
}

func listOffsets(on cluster, asked adminArguments) (answer, error) {
	at, err := offsetOf(asked.At)
	if err != nil {
		return nil, err
	}
	found, err := on.ListOffsets(map[string]map[int32]int64{asked.Topic: {asked.Partition: at}}, nil)
	if err != nil {
		return nil, err
	}
	one := found[asked.Topic][asked.Partition]
	if one.Err != nil && !errors.Is(one.Err, sarama.ErrNoError) {
		return nil, one.Err
	}
	return answer{"offset": one.Offset}, nil
}

// deleteRecords asks for the low watermark afterwards: Sarama does not hand on the one in the answer.
func deleteRecords(on cluster, asked adminArguments) (answer, error) {
	if err := on.DeleteRecords(asked.Topic, map[int32]int64{asked.Partition: asked.Before}); err != nil {
		return nil, err
	}
	lowest, err := on.client.GetOffset(asked.Topic, asked.Partition, sarama.OffsetOldest)
	return answer{"low_watermark": lowest}, err
}

func listGroups(on cluster, _ adminArguments) (answer, error) {
	found, err := on.ListConsumerGroups()
	groups := []string{}
	for name := range found {
		groups = append(groups, name)
	}
	return answer{"groups": groups}, err
}

func describeGroup(on cluster, asked adminArguments) (answer, error) {
	found, err := on.DescribeConsumerGroups([]string{asked.Group})
	if err != nil {
		return nil, err
	}
	members := []answer{}
	for id, one := range found[0].Members {
		members = append(members, answer{"member_id": id, "client_id": one.ClientId, "instance": one.GroupInstanceId})
	}
	return answer{"state": found[0].State, "members": members}, failure(found[0].Err)
}

func committed(on cluster, asked adminArguments) (answer, error) {
	found, err := on.ListConsumerGroupOffsets(asked.Group, nil)
	if err != nil {
		return nil, err
	}
	offsets := map[string]int64{}
	for topic, partitions := range found.Blocks {
		for partition, one := range partitions {
			offsets[fmt.Sprintf("%s:%d", topic, partition)] = one.Offset
		}
	}
	return answer{"offsets": offsets}, failure(found.Err)
}

func deleteGroup(on cluster, asked adminArguments) (answer, error) {
	return answer{}, on.DeleteConsumerGroup(asked.Group)
}

// describeCluster reads the cluster's id from a broker's metadata: the admin client does not tell it.
func describeCluster(on cluster, _ adminArguments) (answer, error) {
	brokers, _, err := on.DescribeCluster()
	if err != nil {
		return nil, err
	}
	ids := []int32{}
	for _, one := range brokers {
		ids = append(ids, one.ID())
	}
	controller, err := on.Controller()
	if err != nil {
		return nil, err
	}
	metadata, err := controller.GetMetadata(sarama.NewMetadataRequest(on.client.Config().Version, []string{}))
	if err != nil {
		return nil, err
	}
	return answer{"cluster_id": metadata.ClusterID, "brokers": ids}, nil
}
