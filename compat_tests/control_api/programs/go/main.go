// Adds a fault rule, sees it, removes it; waits, moves the clock, resets; with Go's standard library. Prints what the broker says last.
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
	api := os.Args[1] + "/v1"
	faults := api + "/faults"
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
	waitMoveReset(api)
	send("GET", faults, "", 200, &all)
	check(json.NewEncoder(os.Stdout).Encode(all))
}

func waitMoveReset(api string) {
	var waited struct {
		Found []struct{ Ready bool }
	}
	send("POST", api+"/wait", `{"what": "cluster", "where": {"ready": true}, "timeout_ms": 10000}`, 200, &waited)
	if len(waited.Found) != 1 || !waited.Found[0].Ready {
		check(fmt.Errorf("%v", waited))
	}
	var before, after struct {
		WallMs int64 `json:"wall_ms"`
	}
	send("GET", api+"/clock", "", 200, &before)
	send("POST", api+"/clock/advance", `{"ms": 300000}`, 200, &after)
	if after.WallMs < before.WallMs+300000 {
		check(fmt.Errorf("%v %v", before, after))
	}
	var rest any
	var found struct{ Topics []any }
	send("POST", api+"/topics", `{"name": "from-go"}`, 201, &rest)
	send("POST", api+"/reset", `{"close_connections": false}`, 200, &rest)
	send("GET", api+"/topics", "", 200, &found)
	if len(found.Topics) != 0 {
		check(fmt.Errorf("the topics %v survived the reset", found.Topics))
	}
}
