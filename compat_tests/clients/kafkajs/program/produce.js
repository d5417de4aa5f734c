'use strict'

const { Partitioners } = require('kafkajs')
const { COMPRESSIONS } = require('./codecs')
const { answer, errorName, toBytes, toHeaders } = require('./wire')

/** All records in one send, which makes one batch for each partition; an error is that of the whole send. */
module.exports = async function produce(kafka, given) {
  const chosen = new Map()
  const partitioner = () => {
    const choose = Partitioners.DefaultPartitioner()
    return options => {
      const partition = choose(options)
      chosen.set(options.message, partition)
      return partition
    }
  }
  const producer = kafka.producer({
    createPartitioner: partitioner,
    idempotent: given.idempotent,
    ...(given.idempotent ? { maxInFlightRequests: 1 } : {}),
  })
  const messages = given.records.map(record => ({
    key: toBytes(record.key),
    value: toBytes(record.value),
    headers: toHeaders(record.headers),
    ...(record.partition === null ? {} : { partition: record.partition }),
    ...(record.timestamp_ms === null ? {} : { timestamp: String(record.timestamp_ms) }),
  }))
  await producer.connect()
  try {
    const compression = COMPRESSIONS[given.compression]
    const results = await producer.send({ topic: given.topic, acks: given.acks, compression, messages })
    const next = new Map(results.map(result => [result.partition, Number(result.baseOffset)]))
    for (const message of messages) {
      const partition = chosen.get(message)
      const offset = next.has(partition) ? next.get(partition) : -1
      if (offset >= 0) next.set(partition, offset + 1)
      answer({ partition, offset })
    }
  } catch (error) {
    process.stderr.write(`${error.stack}\n`)
    for (const _ of messages) answer({ error: errorName(error) })
  } finally {
    await producer.disconnect()
  }
}
