package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/IBM/sarama"
)

const (
	heartbeatInterval = 200 * time.Millisecond
	retryBackoff      = 200 * time.Millisecond
)

type groupArguments struct {
	BootstrapServers string `json:"bootstrap_servers"`
	Group            string
	Topics           []string
	Instance         string
	Assignor         string
	SessionTimeoutMs int `json:"session_timeout_ms"`
}

var strategies = map[string]func() sarama.BalanceStrategy{
	"range": sarama.NewBalanceStrategyRange, "roundrobin": sarama.NewBalanceStrategyRoundRobin,
	"sticky": sarama.NewBalanceStrategySticky, "cooperative-sticky": sarama.NewBalanceStrategyCooperativeSticky,
}

type part struct {
	topic     string
	partition int32
}

// member is the handler of a group's sessions. What it owns are the claims that run: with a cooperative strategy they
// come and go within one session.
type member struct {
	lock    sync.Mutex
	owned   map[part]bool
	session sarama.ConsumerGroupSession
}

func (m *member) tell(event string, parts map[part]bool) {
	pairs := [][2]any{}
	for one := range parts {
		pairs = append(pairs, [2]any{one.topic, one.partition})
	}
	say(answer{"event": event, "partitions": pairs})
}

func (m *member) Setup(session sarama.ConsumerGroupSession) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.session = session
	m.tell("assigned", m.owned)
	return nil
}

func (m *member) Cleanup(sarama.ConsumerGroupSession) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.session = nil
	return nil
}

func (m *member) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	mine := part{claim.Topic(), claim.Partition()}
	m.lock.Lock()
	m.owned[mine] = true
	m.tell("assigned", m.owned)
	m.lock.Unlock()
	for message := range claim.Messages() {
		say(answer{
			"event": "record", "topic": message.Topic, "partition": message.Partition, "offset": message.Offset,
			"value": message.Value,
		})
		session.MarkMessage(message, "")
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	delete(m.owned, mine)
	m.tell("revoked", map[part]bool{mine: true})
	return nil
}

func (m *member) commit() {
	m.lock.Lock()
	session := m.session
	m.lock.Unlock()
	if session == nil {
		say(answer{"event": "error", "error": "no session to commit in"})
		return
	}
	session.Commit() // what goes wrong comes through the group's errors
	say(answer{"event": "committed"})
}

func (a groupArguments) config() (*sarama.Config, error) {
	made, err := config()
	if err != nil {
		return nil, err
	}
	if strategies[a.Assignor] == nil {
		return nil, fmt.Errorf("no assignor %q", a.Assignor)
	}
	made.Consumer.Offsets.Initial = sarama.OffsetOldest
	made.Consumer.Offsets.AutoCommit.Enable = false
	in := &made.Consumer.Group
	in.InstanceId = a.Instance
	in.Session.Timeout = time.Duration(a.SessionTimeoutMs) * time.Millisecond
	in.Heartbeat.Interval = min(heartbeatInterval, in.Session.Timeout/3)
	in.Rebalance.GroupStrategies = []sarama.BalanceStrategy{strategies[a.Assignor]()}
	in.Rebalance.Retry.Backoff = retryBackoff
	return made, nil
}

func group(arguments []byte, input *bufio.Scanner) error {
	var asked groupArguments
	if err := json.Unmarshal(arguments, &asked); err != nil {
		return err
	}
	settings, err := asked.config()
	if err != nil {
		return err
	}
	joined, err := sarama.NewConsumerGroup(servers(asked.BootstrapServers), asked.Group, settings)
	if err != nil {
		return err
	}
	mine := &member{owned: map[part]bool{}}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		for input.Scan() {
			mine.commit()
		}
	}()
	go func() {
		for err := range joined.Errors() {
			say(answer{"event": "error", "error": nameOf(err)})
		}
	}()
	for ctx.Err() == nil {
		if err := joined.Consume(ctx, asked.Topics, mine); err != nil && ctx.Err() == nil {
			say(answer{"event": "error", "error": nameOf(err)})
			<-ctx.Done()
		}
	}
	if err := joined.Close(); err != nil {
		return err
	}
	say(answer{"event": "left"})
	return nil
}
