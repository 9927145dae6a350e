'use strict'
// Loaded before the built program: whatever script it runs leaves its code cache beside it when the thread ends.
const { writeFileSync } = require('node:fs')
const vm = require('node:vm')
const { isMainThread, parentPort } = require('node:worker_threads')

const { Script } = vm
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options)
    if (options?.filename?.endsWith('.app.js')) {
      atTheEnd(() => writeFileSync(`${options.filename}.cache`, this.createCachedData()))
    }
  }
}

/** A worker is terminated and never hears of its exit: it is told to close before. */
function atTheEnd(record) {
  if (isMainThread) process.on('exit', record)
  else parentPort.on('message', ({ type }) => type === 'close' && record())
}
