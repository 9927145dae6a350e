import { hash as digest } from 'node:crypto'
import type { NoteText } from '../../core/texts.ts'
import { bodyStartOf } from '../frontmatter/frontmatter.ts'

/** The text of a file's bytes with what belongs to it: nothing here is of another version of the file. */
export function noteTextOf(bytes: Uint8Array): NoteText {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return { text, bodyStart: bodyStartOf(text), hash: digest('sha256', bytes, 'hex') }
}
