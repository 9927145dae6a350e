// Simulates a person with an editor, in its own process: `node human.mjs <vault> <pause>`. Adds a line to a random note in one of the three
// ways in which editors save, and prints each finished save on stdout: `<token> <way>`.
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { notePaths } from './examine.mjs'

const [vault, pause] = [process.argv[2], Number(process.argv[3])]

// Without a listener, the signal would also end a save that has truncated its file but not yet written it.
process.on('SIGTERM', () => process.exit())

const WAYS = {
  /** The new file replaces the old one by a rename. */
  renamed(file, text, line) {
    const draft = join(vault, '.human')
    writeFileSync(draft, text + line)
    renameSync(draft, file)
  },
  /** The file is truncated and written again. */
  rewritten(file, text, line) {
    const fd = openSync(file, 'r+')
    ftruncateSync(fd, 0)
    writeSync(fd, text + line, 0)
    closeSync(fd)
  },
  /** The line is appended to the file. */
  added(file, _, line) {
    const fd = openSync(file, 'r+')
    writeSync(fd, line, fstatSync(fd).size)
    closeSync(fd)
  },
}

for (let n = 0; ; n++) {
  const notes = notePaths(vault)
  const file = join(vault, notes[Math.floor(Math.random() * notes.length)])
  const way = Object.keys(WAYS)[n % 3]
  const token = `human-${n}`
  try {
    const text = readFileSync(file, 'utf8')
    // This editor opened the file a while ago, so it overwrites what others have written since.
    if (n % 5 === 0) await sleep(50)
    WAYS[way](file, text, `- ${token} end\n`)
    process.stdout.write(`${token} ${way}\n`)
  } catch (error) {
    // The file has been moved or deleted since the folder was listed.
    if (error.code !== 'ENOENT') throw error
  }
  await sleep(Math.random() * 2 * pause)
}
