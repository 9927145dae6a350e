'use strict'
// Loaded before the built program: whatever script it runs leaves its code cache beside it when the thread ends.
const { writeFileSync } = require('node:fs')
const { setFlagsFromString } = require('node:v8')
const vm = require('node:vm')
const { isMainThread, parentPort } = require('node:worker_threads')

const { Script } = vm
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options)
    if (options?.filename?.endsWith('.app.js')) atTheEnd(() => writeFileSync(`${options.filename}.cache`, cacheOf(this)))
  }
}

/** A worker is terminated and never hears of its exit: it is told to close before. */
function atTheEnd(record) {
  if (isMainThread) process.on('exit', record)
  else parentPort.on('message', ({ type }) => type === 'close' && record())
}

function cacheOf(script) {
  // V8 takes a cache only where the flags are those that it was made under, and a server that runs for a while sets this one.
  setFlagsFromString('--semi-space-growth-factor=2')
  return script.createCachedData()
}
