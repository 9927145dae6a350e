import type { Mode } from '../core/note.ts'
import type { FileKind } from '../core/vault.ts'

/** The kind of a file by its name; documentation folders also have `.markdown` and `.mdx` notes. */
export function fileKind(path: string, mode: Mode): FileKind {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  if (extension === 'md') return 'note'
  if (extension === 'canvas') return 'canvas'
  if (mode === 'docs' && (extension === 'markdown' || extension === 'mdx')) return 'note'
  return 'attachment'
}
