'use strict'

const { KafkaConsumer } = require('@confluentinc/kafka-javascript')
const { answer, connected, disconnected, errorName, fromHeaders, next, toText } = require('./wire')

const STARTS = { earliest: -2, latest: -1 }

module.exports = async function consume(given) {
  const { topic, count } = given
  const consumer = new KafkaConsumer(
    {
      'bootstrap.servers': given.bootstrap_servers,
      'group.id': 'not used',
      'enable.auto.commit': false,
      'check.crcs': true,
    },
    { 'auto.offset.reset': 'error' }
  )
  consumer.setDefaultConsumeTimeout(100)
  await connected(consumer)
  const offset = given.offset in STARTS ? STARTS[given.offset] : given.offset
  consumer.assign(given.partitions.map(partition => ({ topic, partition, offset })))
  const deadline = Date.now() + given.timeout_ms
  let found = 0
  try {
    while (found < count && Date.now() < deadline) {
      for (const message of (await next(consumer)).slice(0, count - found)) {
        answer({
          partition: message.partition,
          offset: message.offset,
          key: toText(message.key),
          value: toText(message.value),
          headers: fromHeaders(message.headers),
          timestamp_ms: message.timestamp,
        })
        found++
      }
    }
    answer({ done: found })
  } catch (error) {
    answer({ error: errorName(error) })
  }
  await disconnected(consumer)
}
