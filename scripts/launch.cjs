'use strict'
// Runs a bundled script with V8's code cache, if this build of Node recorded one. Other builds compile the script.
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
    const cache = readFileSync(`${filename}.cache`)
    const build = describeNode()
    if (cache.subarray(0, build.length).equals(build)) cachedData = cache.subarray(build.length)
  } catch {
    // Without a cache, the start is only slower.
  }
  // The build writes ASCII only: V8 stores it in half the memory and reads it in half the time.
  const source = `(function(exports,require,module,__filename,__dirname){${readFileSync(filename, 'latin1').replace(/^#!.*/, '')}\n})`
  return new Script(source, { filename, cachedData })
}

/** A cache begins with the build of Node that recorded it. V8 in Node 20 accepts the cache of another build, and crashes. */
function describeNode() {
  return Buffer.from(JSON.stringify([process.platform, process.versions, process.config]))
}

module.exports.load = load
module.exports.describeNode = describeNode
