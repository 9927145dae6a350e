import { createTwoFilesPatch } from 'diff'

export interface DifferenceLabels {
  readonly path: string
  readonly from: string
  readonly to: string
}

// The algorithm takes time by the number of lines that differ, squared at worst.
const LIMITS = { timeout: 250, maxEditLength: 5000 }
const MAX_INPUT = 4_000_000
const CONTEXT = 2

/** The unified diff of two versions of a file; one line instead if they are not text or too different to compare. */
export function unifiedDiff(before: Uint8Array, after: Uint8Array, { path, from, to }: DifferenceLabels): string {
  const texts = [before, after].map(textOf)
  const [old, now] = texts
  if (old === undefined || now === undefined) return `Binary files ${path} differ\n`
  const tooFar = `The versions of ${path} differ too much to be compared\n`
  if (before.length + after.length > MAX_INPUT) return tooFar
  const patch = createTwoFilesPatch(path, path, old, now, from, to, { context: CONTEXT, ...LIMITS }) as string | undefined
  return patch === undefined ? tooFar : patch.replace(/^Index: [^\n]*\n=+\n/, '')
}

const MAX_SHORT = 2000

/** The same, cut after some lines for a message. */
export function shortDiff(before: Uint8Array, after: Uint8Array, labels: DifferenceLabels): string {
  const patch = unifiedDiff(before, after, labels)
  if (patch.length <= MAX_SHORT) return patch
  const end = patch.lastIndexOf('\n', MAX_SHORT)
  return `${patch.slice(0, end > 0 ? end : MAX_SHORT)}\n… (${patch.length - MAX_SHORT} more characters)\n`
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
