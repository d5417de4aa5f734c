package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const heartbeatInterval = 200 * time.Millisecond

type groupArguments struct {
	BootstrapServers string `json:"bootstrap_servers"`
	Group            string
	Topics           []string
	Instance         *string
	Assignor         string
	SessionTimeoutMs int `json:"session_timeout_ms"`
}

var balancers = map[string]kgo.GroupBalancer{
	"range": kgo.RangeBalancer(), "roundrobin": kgo.RoundRobinBalancer(),
	"sticky": kgo.StickyBalancer(), "cooperative-sticky": kgo.CooperativeStickyBalancer(),
}

// share is what the member owns, as the callbacks tell.
type share struct {
	lock  sync.Mutex
	owned map[string]map[int32]bool
}

func (s *share) assigned(_ context.Context, _ *kgo.Client, added map[string][]int32) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for topic, partitions := range added {
		if s.owned[topic] == nil {
			s.owned[topic] = map[int32]bool{}
		}
		for _, partition := range partitions {
			s.owned[topic][partition] = true
		}
	}
	all := [][2]any{}
	for topic, partitions := range s.owned {
		for partition := range partitions {
			all = append(all, [2]any{topic, partition})
		}
	}
	say(answer{"event": "assigned", "partitions": all})
}

func (s *share) revoked(_ context.Context, _ *kgo.Client, removed map[string][]int32) {
	s.lock.Lock()
	defer s.lock.Unlock()
	gone := [][2]any{}
	for topic, partitions := range removed {
		for _, partition := range partitions {
			delete(s.owned[topic], partition)
			gone = append(gone, [2]any{topic, partition})
		}
	}
	if len(gone) > 0 {
		say(answer{"event": "revoked", "partitions": gone})
	}
}

func (a groupArguments) options() []kgo.Opt {
	mine := &share{owned: map[string]map[int32]bool{}}
	options := []kgo.Opt{
		kgo.SeedBrokers(servers(a.BootstrapServers)...), kgo.FetchMaxWait(200 * time.Millisecond),
		kgo.ConsumerGroup(a.Group), kgo.ConsumeTopics(a.Topics...), kgo.Balancers(balancers[a.Assignor]),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(),
		kgo.SessionTimeout(time.Duration(a.SessionTimeoutMs) * time.Millisecond),
		kgo.HeartbeatInterval(min(heartbeatInterval, time.Duration(a.SessionTimeoutMs)*time.Millisecond/3)),
		kgo.OnPartitionsAssigned(mine.assigned), kgo.OnPartitionsRevoked(mine.revoked),
		kgo.OnPartitionsLost(mine.revoked),
	}
	if a.Instance != nil {
		options = append(options, kgo.InstanceID(*a.Instance))
	}
	return options
}

func group(arguments []byte, input *bufio.Scanner) error {
	var asked groupArguments
	if err := json.Unmarshal(arguments, &asked); err != nil {
		return err
	}
	if balancers[asked.Assignor] == nil {
		return fmt.Errorf("no assignor %q", asked.Assignor)
	}
	client, err := kgo.NewClient(asked.options()...)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		for input.Scan() {
			if err := client.CommitUncommittedOffsets(ctx); err != nil {
				say(answer{"event": "error", "error": nameOf(err)})
			} else {
				say(answer{"event": "committed"})
			}
		}
	}()
	for ctx.Err() == nil {
		handOut(ctx, client)
	}
	client.CloseAllowingRebalance()
	say(answer{"event": "left"})
	return nil
}

// handOut prints what one poll brings.
func handOut(ctx context.Context, client *kgo.Client) {
	defer client.AllowRebalance()
	fetches := client.PollFetches(ctx)
	for _, one := range fetches.Errors() {
		if !errors.Is(one.Err, context.Canceled) {
			say(answer{"event": "error", "error": nameOf(one.Err)})
		}
	}
	fetches.EachRecord(func(record *kgo.Record) {
		say(answer{
			"event": "record", "topic": record.Topic, "partition": record.Partition, "offset": record.Offset,
			"value": record.Value,
		})
	})
}
