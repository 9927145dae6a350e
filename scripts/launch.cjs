'use strict'
// Runs a bundled script with V8's code cache where there is one. A cache of another Node is refused by V8, and the script compiled.
const { readFileSync } = require('node:fs')
const { dirname, join } = require('node:path')
const { setFlagsFromString } = require('node:v8')
const { Script } = require('node:vm')
const { isMainThread } = require('node:worker_threads')

// A heap may become half as large again as what is in use before it is collected: V8 would let it become up to four times as large. Here, because
// it is one of the flags that V8 compares with those a code cache was made under, and because a thread's heap grows from its first moment.
if (isMainThread) setFlagsFromString('--heap-growing-percent=50')

module.exports = function launch(require, entry) {
  const filename = join(__dirname, `${entry}.app.js`)
  const module = { exports: {} }
  load(filename).runInThisContext()(module.exports, require, module, filename, dirname(filename))
}

/** The compiled script; its `cachedDataRejected` tells whether V8 took the cache, if there is one. */
function load(filename) {
  let cachedData
  try {
    cachedData = readFileSync(`${filename}.cache`)
  } catch {
    // Without a cache it is slower, nothing else.
  }
  // The build writes ASCII only, which V8 keeps in half the memory and reads in half the time.
  const source = `(function(exports,require,module,__filename,__dirname){${readFileSync(filename, 'latin1').replace(/^#!.*/, '')}\n})`
  return new Script(source, { filename, cachedData })
}

module.exports.load = load
