'use strict'
// How records, headers and errors look in the lines of JSON.

const fs = require('node:fs')

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
const toBytes = text => (text === null ? null : Buffer.from(text, 'base64'))

/** KafkaJS has headers as an object; a name that comes more than once has an array of values. */
const toHeaders = pairs => {
  const headers = {}
  for (const [name, value] of pairs) (headers[name] = headers[name] || []).push(toBytes(value))
  return headers
}
const fromHeaders = headers =>
  Object.entries(headers || {}).flatMap(([name, values]) => [values].flat().map(value => [name, toText(value)]))

/** The broker's error as KafkaJS names it (`type`), or else the name of KafkaJS' own class. */
const errorName = error => {
  const inner = (error.errors || error.groups || error.partitions || [])[0]
  if (inner) return errorName(inner.error || inner)
  if (error.type) return error.type
  return error.cause && error.cause !== error ? errorName(error.cause) : error.name
}

module.exports = { answer, toText, toBytes, toHeaders, fromHeaders, errorName }
