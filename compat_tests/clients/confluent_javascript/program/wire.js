'use strict'
// How records, headers and errors look in the lines of JSON.

const fs = require('node:fs')
const { CODES } = require('@confluentinc/kafka-javascript')

/** Written at once, so that nothing is lost when the process ends. */
const answer = object => {
  let rest = Buffer.from(JSON.stringify(object) + '\n')
  while (rest.length > 0) {
    try {
      rest = rest.subarray(fs.writeSync(1, rest))
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
}

const toText = bytes => (bytes === null || bytes === undefined ? null : Buffer.from(bytes).toString('base64'))
/** The client takes a Buffer without memory for null, which one made of nothing is: this one has some. */
const EMPTY = Buffer.from('something').subarray(0, 0)
const toBytes = text => (text === null ? null : text === '' ? EMPTY : Buffer.from(text, 'base64'))

/** Each header is an object with one property. */
const toHeaders = pairs => pairs.map(([name, value]) => ({ [name]: toBytes(value) }))
const fromHeaders = headers =>
  (headers || []).flatMap(header => Object.entries(header).map(([name, value]) => [name, toText(value)]))

/** librdkafka's name of the error's code, under which the package exports it. */
const errorName = error => {
  process.stderr.write(`${error.stack}\n`)
  const inner = (error.errors || error.groups || error.partitions || [])[0]
  if (inner) return errorName(inner.error || inner)
  const found = Object.entries(CODES.ERRORS).find(([, code]) => code === error.code)
  return found ? found[0] : error.message
}

/** A client of the callback interface, connected. */
const connected = client =>
  new Promise((resolve, reject) => client.connect({}, error => (error ? reject(error) : resolve(client))))

const disconnected = client => new Promise(resolve => client.disconnect(resolve))

/** The next messages, none if none come soon. The flowing mode would keep errors to itself. */
const next = consumer =>
  new Promise((resolve, reject) => consumer.consume(100, (error, messages) => (error ? reject(error) : resolve(messages))))

module.exports = { answer, toText, toBytes, toHeaders, fromHeaders, errorName, connected, disconnected, next }
