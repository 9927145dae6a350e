'use strict'
// Preloaded before the built program: writes the code cache of whatever script it runs when the thread ends.
const { writeFileSync } = require('node:fs')
const { setFlagsFromString } = require('node:v8')
const vm = require('node:vm')
const { isMainThread, parentPort } = require('node:worker_threads')
const { describeNode } = require('./launch.cjs')

const { Script } = vm
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options)
    if (options?.filename?.endsWith('.app.js')) atTheEnd(() => writeFileSync(`${options.filename}.cache`, cacheOf(this)))
  }
}

/** A terminated worker gets no exit event, so this runs when the worker is asked to close. */
function atTheEnd(record) {
  if (isMainThread) process.on('exit', record)
  else parentPort.on('message', ({ type }) => type === 'close' && record())
}

function cacheOf(script) {
  // V8 accepts a cache only with the flags that were set when it was made, and a long-running server sets this one.
  setFlagsFromString('--semi-space-growth-factor=2')
  return Buffer.concat([describeNode(), script.createCachedData()])
}
