/** Returns a path's folder without a trailing `/`; empty for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Returns the last segment of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Returns the last segment of a path without its extension. */
export function fileStemOf(path: string): string {
  return nameOf(path).replace(/\.[^.]*$/, '')
}
