/** The folder of a path, without a final `/`; empty for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** The last segment of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The last segment of a path without its ending. */
export function fileStemOf(path: string): string {
  return nameOf(path).replace(/\.[^.]*$/, '')
}
