'use strict'
// Fails unless V8 takes the code cache of a bundled script, in a process that has just begun: `node check-code-cache.cjs <script>`.
const { resolve } = require('node:path')
const { load } = require('./launch.cjs')

if (load(resolve(process.argv[2])).cachedDataRejected !== false) {
  console.error('there is none, or it was refused')
  process.exitCode = 1
}
