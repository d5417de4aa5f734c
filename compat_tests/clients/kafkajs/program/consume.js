'use strict'

const { randomUUID } = require('node:crypto')
const { answer, errorName, fromHeaders, toText } = require('./wire')

/** KafkaJS reads in groups alone, so this is a group of one that lives as long as the reading. */
module.exports = async function consume(kafka, given) {
  const { topic, offset, count } = given
  const groupId = `kafkajs-reader-${randomUUID()}`
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 200 })
  let found = 0
  let failure = null
  const over = new Promise(resolve => {
    setTimeout(resolve, given.timeout_ms)
    consumer.on(consumer.events.CRASH, ({ payload }) => resolve((failure = payload.error)))
    consumer.on(consumer.events.GROUP_JOIN, () => typeof offset === 'number' && seek())
    const seek = () => given.partitions.forEach(partition => consumer.seek({ topic, partition, offset: String(offset) }))
    start(resolve).catch(error => resolve((failure = error)))
  })

  async function start(resolve) {
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: offset === 'earliest' })
    await consumer.run({
      autoCommit: false,
      eachMessage: async ({ partition, message }) => {
        if (found === count || !given.partitions.includes(partition)) return
        answer({
          partition,
          offset: Number(message.offset),
          key: toText(message.key),
          value: toText(message.value),
          headers: fromHeaders(message.headers),
          timestamp_ms: Number(message.timestamp),
        })
        if (++found === count) resolve()
      },
    })
  }

  await over
  answer(failure ? { error: errorName(failure) } : { done: found })
  await consumer.disconnect()
  const admin = kafka.admin()
  await admin.connect()
  await admin.deleteGroups([groupId]).catch(error => process.stderr.write(`${error.message}\n`))
  await admin.disconnect()
}
