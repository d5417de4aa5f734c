// Adds a fault rule, sees it, removes it, with Node's fetch. Prints what the broker says last.
const faults = `${process.argv[2]}/v1/faults`;

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
console.log(JSON.stringify(await send("GET", faults)));
