// Measures the lower bound of a cold start: a process that only reads every note.
import { readdirSync, readFileSync } from 'node:fs'

let bytes = 0
function read(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) read(path)
    else if (entry.name.endsWith('.md')) bytes += readFileSync(path).length
  }
}
read(process.argv[2])
if (bytes === 0) process.exitCode = 1
