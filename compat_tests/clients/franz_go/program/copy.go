package main

import (
	"bufio"
	"context"
	"encoding/json"
	"math/rand/v2"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

type copyArguments struct {
	BootstrapServers     string `json:"bootstrap_servers"`
	Source, Target       string
	Group                string
	TransactionalID      string `json:"transactional_id"`
	PerTransaction       int    `json:"per_transaction"`
	Aborted              float64
	SessionTimeoutMs     int `json:"session_timeout_ms"`
	TransactionTimeoutMs int `json:"transaction_timeout_ms"`
}

func (a copyArguments) session() (*kgo.GroupTransactSession, error) {
	return kgo.NewGroupTransactSession(
		kgo.SeedBrokers(servers(a.BootstrapServers)...), kgo.FetchMaxWait(200*time.Millisecond),
		kgo.TransactionalID(a.TransactionalID), kgo.TransactionTimeout(time.Duration(a.TransactionTimeoutMs)*time.Millisecond),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.RequireStableFetchOffsets(),
		kgo.ConsumerGroup(a.Group), kgo.ConsumeTopics(a.Source),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.SessionTimeout(time.Duration(a.SessionTimeoutMs)*time.Millisecond),
		kgo.HeartbeatInterval(time.Duration(a.SessionTimeoutMs)*time.Millisecond/3),
	)
}

// copyRecords copies a topic in transactions, some of which it aborts, until it is killed or the client reports an error.
func copyRecords(arguments []byte, _ *bufio.Scanner) error {
	var asked copyArguments
	if err := json.Unmarshal(arguments, &asked); err != nil {
		return err
	}
	session, err := asked.session()
	if err != nil {
		return err
	}
	ctx := context.Background()
	for {
		fetches := session.PollRecords(ctx, asked.PerTransaction)
		if fetches.Empty() {
			continue
		}
		if err := session.Begin(); err != nil {
			return err
		}
		sent := kgo.AbortingFirstErrPromise(session.Client())
		fetches.EachRecord(func(record *kgo.Record) {
			copied := &kgo.Record{Topic: asked.Target, Partition: record.Partition, Key: record.Key, Value: record.Value}
			session.Produce(ctx, copied, sent.Promise())
		})
		commits := sent.Err() == nil && rand.Float64() >= asked.Aborted
		if _, err := session.End(ctx, kgo.TransactionEndTry(commits)); err != nil {
			return err
		}
	}
}
