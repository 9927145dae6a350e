import type { ContextPack } from '../../app/insight/context-pack.ts'
import { printable, printableText } from './table.ts'

/** Whether this is an answer of `context_pack`. */
export function isPack(value: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(value.excerpts) && typeof value.tokens === 'number'
}

/** A pack as Markdown that can be pasted elsewhere: each excerpt under a line that says where it is from. */
export function renderPack({ excerpts, omitted, cursor }: ContextPack): string {
  if (excerpts.length === 0) return 'Nothing found.\n'
  const parts = excerpts.map((excerpt) => `${sourceLine(excerpt)}\n\n${printableText(excerpt.text).trim()}\n`)
  const more = cursor === undefined ? [] : [`<!-- ${omitted} more passages: --cursor ${cursor} -->\n`]
  return [...parts, ...more].join('\n')
}

function sourceLine({ id, title, heading, lines: [first, last], via }: ContextPack['excerpts'][number]): string {
  const below = heading[0] === title ? heading.slice(1) : heading
  const where = [`\`${printable(id)}\``, first === last ? `line ${first}` : `lines ${first}–${last}`]
  const from = via === undefined ? [] : [`linked from \`${printable(via.from)}\`, line ${via.line}`]
  return `> **${[title, ...below].map(printable).join(' › ')}** (${[...where, ...from].join(', ')})`
}
