package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// abortsOf says which transactions are aborted: with 10, one of ten.
func (o options) aborts(transaction int64) bool {
	return o.abortEvery > 0 && transaction%o.abortEvery == o.abortEvery-1
}

// transact has one transactional producer, which writes o.perTransaction records round robin to the partitions of the
// topic and ends the transaction, for o.seconds, or until o.records are written. A latency is the time of the end alone
// (EndTxn), once all records are acknowledged; beside it is that of the first record, with which its partition is added
// to the transaction. What was committed counts; a transaction that fails ends the run.
func transact(o options) (result, error) {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(o.servers()...), kgo.DefaultProduceTopic(o.topic), kgo.TransactionalID(o.topic),
		kgo.MetadataMinAge(100*time.Millisecond), // a leader that is not known yet would cost 5 s
		kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.MaxBufferedRecords(bufferedRecords), kgo.MaxBufferedBytes(bufferedBytes), kgo.ProducerLinger(0),
	)
	if err != nil {
		return result{}, err
	}
	defer client.Close()
	t := transactor{o: o, client: client, values: newPayload(0, o.size)}
	if err := t.run(o.warmUp, o.records/10); err != nil {
		return result{}, err
	}
	t.latencies, t.firsts, t.written = nil, nil, 0
	counted := begin(o)
	if err := t.run(o.seconds, o.records); err != nil {
		return result{}, err
	}
	found := result{
		Records: t.written, Bytes: t.written * int64(o.size), Count: t.count, Checksum: t.checksum,
		AllCount: t.allCount, AllChecksum: t.allChecksum, Transactions: int64(len(t.latencies)),
	}
	counted.end(&found)
	found.latencies(t.firsts)
	found.FirstP50 = found.P50
	found.latencies(t.latencies)
	return found, nil
}

type transactor struct {
	o            options
	client       *kgo.Client
	values       *payload
	latencies    []time.Duration
	firsts       []time.Duration
	transactions int64
	written      int64 // of the counted time, aborted ones too
	count        int64 // committed, of all times
	checksum     uint64
	allCount     int64 // with those that were aborted
	allChecksum  uint64
}

func (t *transactor) run(seconds float64, records int64) error {
	for end := time.Now().Add(time.Duration(seconds * float64(time.Second))); ; {
		if records > 0 && t.written >= records || records <= 0 && !time.Now().Before(end) {
			return nil
		}
		if err := t.one(); err != nil {
			return fmt.Errorf("transaction %d: %w", t.transactions, err)
		}
	}
}

func (t *transactor) one() error {
	ctx := context.Background()
	if err := t.client.BeginTransaction(); err != nil {
		return err
	}
	var failure atomic.Pointer[error]
	done := func(_ *kgo.Record, err error) {
		if err != nil {
			failure.CompareAndSwap(nil, &err)
		}
	}
	var first time.Duration
	began := time.Now()
	firstDone := func(record *kgo.Record, err error) {
		first = time.Since(began)
		done(record, err)
	}
	var checksum uint64
	for n := range t.o.perTransaction {
		record := &kgo.Record{Value: make([]byte, t.o.size), Partition: int32(n % t.o.partitions)}
		checksum += t.values.fill(record.Value)
		if n == 0 {
			t.client.Produce(ctx, record, firstDone)
		} else {
			t.client.Produce(ctx, record, done)
		}
	}
	if err := t.client.Flush(ctx); err != nil {
		return err
	}
	if failed := failure.Load(); failed != nil {
		return *failed
	}
	commits := !t.o.aborts(t.transactions)
	start := time.Now()
	if err := t.client.EndTransaction(ctx, kgo.TransactionEndTry(commits)); err != nil {
		return err
	}
	t.latencies = append(t.latencies, time.Since(start))
	t.firsts = append(t.firsts, first)
	t.transactions++
	t.written += int64(t.o.perTransaction)
	t.allCount += int64(t.o.perTransaction)
	t.allChecksum += checksum
	if commits {
		t.count += int64(t.o.perTransaction)
		t.checksum += checksum
	}
	return nil
}
