// A client for tests: franz-go, told what to do by one line of JSON, answering in lines of JSON.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

var verbs = map[string]func(arguments []byte, input *bufio.Scanner) error{
	"produce": produce, "consume": consume, "group": group, "admin": admin,
	"steady": steady, "copy": copyRecords,
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

// nameOf is what franz-go's users call an error: Kafka's name when it came from the broker.
func nameOf(err error) string {
	var told *kerr.Error
	if errors.As(err, &told) {
		return told.Message
	}
	return err.Error()
}

// header is a record's header as a pair: its name, and its bytes or null.
type header kgo.RecordHeader

func (h *header) UnmarshalJSON(data []byte) error {
	pair := [2]any{&h.Key, &h.Value}
	return json.Unmarshal(data, &pair)
}

func (h header) MarshalJSON() ([]byte, error) {
	return json.Marshal([2]any{h.Key, h.Value})
}

func run() error {
	if len(os.Args) != 2 || verbs[os.Args[1]] == nil {
		return errors.New("usage: client produce|consume|group|admin|steady|copy")
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
