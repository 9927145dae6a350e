/** A path as a person can paste it into a shell. */
export function shellWord(path: string): string {
  return /^[\w./~:\\-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
