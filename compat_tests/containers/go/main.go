// Starts testcontainers-go's Kafka module, prints its address, and stops it when standard input ends.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/testcontainers/testcontainers-go/modules/kafka"
)

func main() {
	ctx := context.Background()
	container, err := kafka.Run(ctx, os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	servers, err := container.Brokers(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("SERVERS " + strings.Join(servers, ","))
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := container.Terminate(ctx); err != nil {
		log.Fatal(err)
	}
}
