'use strict'

const { PartitionAssigners } = require('kafkajs')
const { answer, errorName, toText } = require('./wire')

const ASSIGNERS = { roundrobin: PartitionAssigners.roundRobin }

/** A member until stdin ends; it commits on the line "commit". */
module.exports = async function group(kafka, given, lines) {
  const consumer = kafka.consumer({
    groupId: given.group,
    partitionAssigners: [ASSIGNERS[given.assignor]],
    sessionTimeout: given.session_timeout_ms,
    heartbeatInterval: Math.min(200, given.session_timeout_ms / 2),
    maxWaitTimeInMs: 200,
    retry: { restartOnFailure: async () => false },
  })
  const { GROUP_JOIN, REBALANCING, CRASH } = consumer.events
  const givenOut = new Map()
  let owned = []
  consumer.on(GROUP_JOIN, ({ payload }) => {
    owned = Object.entries(payload.memberAssignment).flatMap(([topic, parts]) => parts.map(part => [topic, part]))
    answer({ event: 'assigned', partitions: owned })
  })
  consumer.on(REBALANCING, () => answer({ event: 'revoked', partitions: owned }))
  consumer.on(CRASH, ({ payload }) => answer({ event: 'error', error: errorName(payload.error) }))

  await consumer.connect()
  await consumer.subscribe({ topics: given.topics, fromBeginning: given.from === 'earliest' })
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ topic, partition, message }) => {
      const offset = Number(message.offset)
      answer({ event: 'record', topic, partition, offset, value: toText(message.value) })
      givenOut.set(JSON.stringify([topic, partition]), { topic, partition, offset: String(offset + 1) })
    },
  })
  for await (const line of lines) {
    if (line !== 'commit') continue
    try {
      await consumer.commitOffsets([...givenOut.values()])
      answer({ event: 'committed' })
    } catch (error) {
      answer({ event: 'error', error: errorName(error) })
    }
  }
  await consumer.disconnect()
  answer({ event: 'left' })
}
