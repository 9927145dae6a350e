import { DOLLAR } from './chars.ts'
import type { Range } from './comments.ts'
import { scanInline } from './scan-inline.ts'

/** The formulas (`$…$`, `$$…$$`) of a note's text from an offset on, with their marks, in order; what stands in code is none. Linear, never throws. */
export function findFormulas(text: string, from: number): readonly Range[] {
  if (!text.includes('$', from)) return []
  const inline: Range[] = []
  const { formulas } = scanInline(text, from, (start, end, mark) => {
    // Marks that nothing ends are spans, too.
    if (mark === DOLLAR && /[^$]/.test(text.slice(start, end))) inline.push({ start, end })
  })
  return [...formulas, ...inline].sort((a, b) => a.start - b.start)
}
