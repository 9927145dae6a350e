'use strict'
// Runs a bundled script with V8's code cache, if there is one. V8 rejects a cache from another Node version and compiles the script.
const { readFileSync } = require('node:fs')
const { dirname, join } = require('node:path')
const { Script } = require('node:vm')

module.exports = function launch(require, entry) {
  const filename = join(__dirname, `${entry}.app.js`)
  const module = { exports: {} }
  load(filename).runInThisContext()(module.exports, require, module, filename, dirname(filename))
}

/** Returns the compiled script; `cachedDataRejected` shows whether V8 accepted the cache. */
function load(filename) {
  let cachedData
  try {
    cachedData = readFileSync(`${filename}.cache`)
  } catch {
    // Without a cache, starting is only slower.
  }
  // The build writes ASCII only: V8 stores it in half the memory and reads it in half the time.
  const source = `(function(exports,require,module,__filename,__dirname){${readFileSync(filename, 'latin1').replace(/^#!.*/, '')}\n})`
  return new Script(source, { filename, cachedData })
}

module.exports.load = load
