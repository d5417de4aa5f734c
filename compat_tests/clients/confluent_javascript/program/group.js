'use strict'

const { KafkaConsumer, CODES } = require('@confluentinc/kafka-javascript')
const { answer, connected, disconnected, errorName, next, toText } = require('./wire')

const { ERR__ASSIGN_PARTITIONS } = CODES.ERRORS

const plain = partitions => partitions.map(({ topic, partition }) => [topic, partition])

/** A member until stdin ends; it commits on the line "commit". */
module.exports = async function group(given, lines) {
  const sessionMs = given.session_timeout_ms
  const consumer = new KafkaConsumer(
    {
      'bootstrap.servers': given.bootstrap_servers,
      'group.id': given.group,
      'partition.assignment.strategy': given.assignor,
      'session.timeout.ms': sessionMs,
      'heartbeat.interval.ms': Math.min(200, sessionMs / 2),
      'enable.auto.commit': false,
      rebalance_cb: true,
      ...(given.instance === null ? {} : { 'group.instance.id': given.instance }),
    },
    { 'auto.offset.reset': given.from }
  )
  const owned = new Map()
  consumer.on('rebalance', (reason, partitions) => {
    const parts = plain(partitions)
    if (reason.code === ERR__ASSIGN_PARTITIONS) {
      parts.forEach(part => owned.set(part.join(), part))
      answer({ event: 'assigned', partitions: [...owned.values()] })
    } else {
      parts.forEach(part => owned.delete(part.join()))
      answer({ event: 'revoked', partitions: parts })
    }
  })
  const tell = error => answer({ event: 'error', error: errorName(error) })

  consumer.setDefaultConsumeTimeout(50)
  await connected(consumer)
  consumer.subscribe(given.topics)
  let goesOn = true
  const listening = (async () => {
    for await (const line of lines) if (line === 'commit') commit()
    goesOn = false
  })()
  const commit = () => {
    try {
      consumer.commitSync()
      answer({ event: 'committed' })
    } catch (error) {
      tell(error)
    }
  }
  while (goesOn) {
    try {
      for (const { topic, partition, offset, value } of await next(consumer)) {
        answer({ event: 'record', topic, partition, offset, value: toText(value) })
      }
    } catch (error) {
      tell(error)
    }
  }
  await listening
  await disconnected(consumer)
  answer({ event: 'left' })
}
