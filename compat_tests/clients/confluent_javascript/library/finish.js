'use strict'
// The last step of the build: what was built can do what is tested, and leaves nothing behind that only the build needs.

const fs = require('node:fs')
const path = require('node:path')
const { features } = require('@confluentinc/kafka-javascript')

if (!features.includes('zstd')) {
  process.stderr.write('librdkafka was built without zstd: apt-get install libzstd-dev\n')
  process.exit(1)
}
const home = path.join(__dirname, 'node_modules', '@confluentinc', 'kafka-javascript')
for (const folder of ['deps/librdkafka', 'build/Release/obj.target', 'build/deps/include', 'src']) {
  fs.rmSync(path.join(home, folder), { recursive: true, force: true })
}
