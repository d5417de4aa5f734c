'use strict'
// KafkaJS, told what to do: `node main.js VERB`, arguments as one line of JSON on stdin, answers as lines of JSON.

const readline = require('node:readline')
const { Kafka, logLevel } = require('kafkajs')
const { registerCodecs } = require('./codecs')
const { errorName } = require('./wire')

const verbs = {
  produce: require('./produce'),
  consume: require('./consume'),
  group: require('./group'),
  admin: require('./admin'),
}

const toStandardError = () => ({ label, log }) => process.stderr.write(`${label} ${log.message} ${log.error || ''}\n`)

async function main() {
  const verb = verbs[process.argv[2]]
  if (!verb) throw new Error(`no verb ${process.argv[2]}`)
  await registerCodecs()
  const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  const given = JSON.parse((await lines.next()).value)
  const kafka = new Kafka({
    clientId: 'kafkajs-compat',
    brokers: given.bootstrap_servers.split(','),
    logLevel: logLevel.WARN,
    logCreator: toStandardError,
  })
  await verb(kafka, given, lines)
}

main().then(
  () => process.exit(0),
  error => {
    process.stderr.write(`${errorName(error)} ${error.stack}\n`)
    process.exit(1)
  }
)
