'use strict'
// Fails unless V8 accepts the code cache of a bundled script in a fresh process: `node check-code-cache.cjs <script>`.
const { resolve } = require('node:path')
const { load } = require('./launch.cjs')

if (load(resolve(process.argv[2])).cachedDataRejected !== false) {
  console.error('missing or rejected')
  process.exitCode = 1
}
