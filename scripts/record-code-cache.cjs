'use strict'
// Loaded before the built program: whatever script it runs leaves its code cache beside it when the thread ends.
const { writeFileSync } = require('node:fs')
const vm = require('node:vm')

const { Script } = vm
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options)
    if (options?.filename?.endsWith('.app.js')) {
      process.on('exit', () => writeFileSync(`${options.filename}.cache`, this.createCachedData()))
    }
  }
}
