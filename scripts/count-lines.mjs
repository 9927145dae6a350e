// Counts lines of code per folder, without blank lines and comments. Usage: `npm run count [-- <folder>…]`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const roots = process.argv.length > 2 ? process.argv.slice(2) : ['src']
const counts = new Map()
for (const root of roots) {
  for (const name of readdirSync(root, { recursive: true })) {
    if (!name.endsWith('.ts')) continue
    const [folder] = name.split(/[\\/]/)
    const lines = linesOfCode(readFileSync(join(root, name), 'utf8'))
    const { files = 0, code = 0 } = counts.get(join(root, folder)) ?? {}
    counts.set(join(root, folder), { files: files + 1, code: code + lines })
  }
}
const total = [...counts.values()].reduce((sum, { files, code }) => ({ files: sum.files + files, code: sum.code + code }), {
  files: 0,
  code: 0,
})
for (const [folder, { files, code }] of [...counts, ['total', total]]) {
  console.log(`${folder.padEnd(24)}${String(files).padStart(6)} files${String(code).padStart(8)} lines`)
}

/** Returns the lines that contain a token; a multi-line string counts on each of its lines. */
function linesOfCode(text) {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, false)
  const lines = new Set()
  const visit = (node) => {
    // Documentation comments are nodes, too.
    const children = node.getChildren(source).filter((child) => !ts.isJSDoc(child))
    if (children.length > 0 || node.getWidth(source) === 0) return children.forEach(visit)
    const [first, last] = [node.getStart(source), node.getEnd()].map((at) => source.getLineAndCharacterOfPosition(at).line)
    for (let line = first; line <= last; line++) lines.add(line)
  }
  visit(source)
  return lines.size
}
