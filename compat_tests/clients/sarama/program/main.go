// A client for tests: Sarama, told what to do by one line of JSON, answering in lines of JSON.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/IBM/sarama"
)

var verbs = map[string]func(arguments []byte, input *bufio.Scanner) error{
	"produce": produce, "consume": consume, "group": group, "admin": admin,
	"steady": steady,
}

// answer is one line of output.
type answer map[string]any

var (
	output     = json.NewEncoder(os.Stdout)
	outputLock sync.Mutex
)

// say prints one answer; goroutines may do so at the same time.
func say(one answer) {
	outputLock.Lock()
	defer outputLock.Unlock()
	if err := output.Encode(one); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// names are those by which Sarama's users compare errors: its errors are numbers with a text.
var names = map[sarama.KError]string{
	sarama.ErrTopicAlreadyExists:      "ErrTopicAlreadyExists",
	sarama.ErrInvalidTopic:            "ErrInvalidTopic",
	sarama.ErrInvalidConfig:           "ErrInvalidConfig",
	sarama.ErrUnknownTopicOrPartition: "ErrUnknownTopicOrPartition",
	sarama.ErrInvalidPartitions:       "ErrInvalidPartitions",
	sarama.ErrMessageSizeTooLarge:     "ErrMessageSizeTooLarge",
	sarama.ErrOffsetOutOfRange:        "ErrOffsetOutOfRange",
	sarama.ErrGroupIDNotFound:         "ErrGroupIDNotFound",
	sarama.ErrNonEmptyGroup:           "ErrNonEmptyGroup",
	sarama.ErrInvalidSessionTimeout:   "ErrInvalidSessionTimeout",
	sarama.ErrFencedInstancedId:       "ErrFencedInstancedId",
}

// nameOf is what Sarama's users call an error; one that is not in the table is told by its text.
func nameOf(err error) string {
	var told sarama.KError
	if errors.As(err, &told) && names[told] != "" {
		return names[told]
	}
	return err.Error()
}

// config speaks the newest versions that Sarama knows, or those of the Kafka that SARAMA_VERSION names.
func config() (*sarama.Config, error) {
	made := sarama.NewConfig()
	made.Version = sarama.MaxVersion
	if wanted := os.Getenv("SARAMA_VERSION"); wanted != "" {
		version, err := sarama.ParseKafkaVersion(wanted)
		if err != nil {
			return nil, err
		}
		made.Version = version
	}
	made.Consumer.MaxWaitTime = 200 * time.Millisecond
	made.Consumer.Return.Errors = true
	return made, nil
}

func servers(bootstrap string) []string { return strings.Split(bootstrap, ",") }

// header is a record's header as a pair: its name, and its bytes or null.
type header sarama.RecordHeader

func (h *header) UnmarshalJSON(data []byte) error {
	var name string
	pair := [2]any{&name, &h.Value}
	err := json.Unmarshal(data, &pair)
	h.Key = []byte(name)
	return err
}

func (h header) MarshalJSON() ([]byte, error) {
	return json.Marshal([2]any{string(h.Key), h.Value})
}

func run() error {
	if len(os.Args) != 2 || verbs[os.Args[1]] == nil {
		return errors.New("usage: client produce|consume|group|admin|steady")
	}
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 64<<20)
	if !input.Scan() {
		return fmt.Errorf("no arguments: %w", errors.Join(input.Err(), os.ErrInvalid))
	}
	return verbs[os.Args[1]](input.Bytes(), input)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
