/** Quotes a path for pasting into a shell, if necessary. */
export function shellWord(path: string): string {
  return /^[\w./~:\\-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
