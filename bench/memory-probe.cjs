// Loaded with `--require` into every thread of a server: writes the memory of each into the folder in MEMORY_PROBE, once a second.
const { renameSync, rmSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { threadId } = require('node:worker_threads')

const file = join(process.env.MEMORY_PROBE, `${process.pid}-${threadId}.json`)
setInterval(() => {
  // The file is renamed, because a reader must not see half of it.
  writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()))
  renameSync(`${file}.new`, file)
}, 1_000).unref()
process.on('exit', () => rmSync(file, { force: true }))
