'use strict'

const { Producer } = require('@confluentinc/kafka-javascript')
const { answer, connected, disconnected, errorName, toBytes, toHeaders } = require('./wire')

module.exports = async function produce(given) {
  const producer = new Producer({
    'bootstrap.servers': given.bootstrap_servers,
    acks: given.acks,
    'compression.type': given.compression,
    'enable.idempotence': given.idempotent,
    partitioner: 'murmur2_random',
    'message.max.bytes': 2000000,
    'linger.ms': 20,
    dr_cb: true,
  })
  const answers = new Array(given.records.length)
  producer.on('delivery-report', (error, report) => {
    // without acknowledgements librdkafka knows no offset
    const told = error ? { error: errorName(error) } : { partition: report.partition, offset: Math.max(report.offset, -1) }
    answers[report.opaque.place] = told
  })
  await connected(producer)
  producer.setPollInterval(10)
  given.records.forEach((record, place) => {
    const { partition, timestamp_ms: timestamp, headers } = record
    const [key, value] = [toBytes(record.key), toBytes(record.value)]
    try {
      producer.produce(given.topic, partition, value, key, timestamp, { place }, toHeaders(headers))
    } catch (error) {
      answers[place] = { error: errorName(error) }
    }
  })
  await new Promise((resolve, reject) => producer.flush(20000, error => (error ? reject(error) : resolve())))
  while (Object.keys(answers).length < given.records.length) await new Promise(resolve => setTimeout(resolve, 5))
  answers.forEach(answer)
  await disconnected(producer)
}
