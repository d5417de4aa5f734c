// Adds a fault rule, sees it, removes it; waits, moves the clock, resets; with Node's fetch. Prints what the broker says last.
const api = `${process.argv[2]}/v1`;
const faults = `${api}/faults`;

async function send(method, url, body, expected = 200) {
  const headers = body ? { "content-type": "application/json" } : {};
  const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  if (response.status !== expected) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

const rule = { when: { api: "metadata" }, then: { delay: { ms: 5 } }, label: "from Node" };
const { id } = await send("POST", faults, rule, 201);
const seen = (await send("GET", faults)).faults.find((fault) => fault.id === id);
if (seen?.label !== "from Node") throw new Error(JSON.stringify(seen));
await send("DELETE", `${faults}/${id}`);
const { found } = await send("POST", `${api}/wait`, { what: "cluster", where: { ready: true }, timeout_ms: 10000 });
if (!found[0].ready) throw new Error(JSON.stringify(found));
const before = (await send("GET", `${api}/clock`)).wall_ms;
const { wall_ms } = await send("POST", `${api}/clock/advance`, { ms: 300000 });
if (wall_ms < before + 300000) throw new Error(`${before} ${wall_ms}`);
await send("POST", `${api}/topics`, { name: "from-node" }, 201);
await send("POST", `${api}/reset`, { close_connections: false });
if ((await send("GET", `${api}/topics`)).topics.length) throw new Error("the topic survived the reset");
console.log(JSON.stringify(await send("GET", faults)));
