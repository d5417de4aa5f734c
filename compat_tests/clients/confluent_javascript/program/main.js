'use strict'
// confluent-kafka-javascript, told what to do: `node main.js VERB`, arguments as one line of JSON on stdin, answers as
// lines of JSON. Records and groups go through its callback interface, admin through the one that is like KafkaJS'.

const readline = require('node:readline')

const verbs = {
  produce: require('./produce'),
  consume: require('./consume'),
  group: require('./group'),
  admin: require('./admin'),
}

async function main() {
  const verb = verbs[process.argv[2]]
  if (!verb) throw new Error(`no verb ${process.argv[2]}`)
  const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  await verb(JSON.parse((await lines.next()).value), lines)
}

main().then(
  () => process.exit(0),
  error => {
    process.stderr.write(`${error.stack}\n`)
    process.exit(1)
  }
)
