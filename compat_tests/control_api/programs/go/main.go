// Adds a fault rule, sees it, removes it, with Go's standard library. Prints what the broker says last.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

const rule = `{"when": {"api": "metadata"}, "then": {"delay": {"ms": 5}}, "label": "from Go"}`

type fault struct {
	ID    int    `json:"id"`
	Label string `json:"label"`
	Hits  int    `json:"hits"`
}

func send(method, url, body string, expected int, into any) {
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	check(err)
	if body != "" {
		request.Header.Set("content-type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	check(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(err)
	if response.StatusCode != expected {
		check(fmt.Errorf("%s %s: %d %s", method, url, response.StatusCode, text))
	}
	check(json.Unmarshal(text, into))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	faults := os.Args[1] + "/v1/faults"
	var added, removed fault
	var all struct {
		Faults []fault `json:"faults"`
	}
	send("POST", faults, rule, 201, &added)
	send("GET", faults, "", 200, &all)
	if len(all.Faults) != 1 || all.Faults[0].Label != "from Go" {
		check(fmt.Errorf("%v", all))
	}
	send("DELETE", fmt.Sprintf("%s/%d", faults, added.ID), "", 200, &removed)
	send("GET", faults, "", 200, &all)
	check(json.NewEncoder(os.Stdout).Encode(all))
}
