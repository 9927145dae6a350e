'use strict'
// Runs a bundled script with V8's code cache where there is one. A cache of another Node is refused by V8, and the script compiled.
const { readFileSync } = require('node:fs')
const { dirname, join } = require('node:path')
const { Script } = require('node:vm')

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
