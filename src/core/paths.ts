/** Returns a path's folder without a trailing `/`; empty for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Returns the common prefix of all paths in a folder, which is empty for the root. */
export function folderStart(folder: string): string {
  return inFolder(folder, '')
}

/** Joins a folder and a name. An empty folder is the root. */
export function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function fileStemOf(path: string): string {
  return nameOf(path).replace(/\.[^.]*$/, '')
}

/** Checks whether a path is the folder or inside it. Works for nested tags, too. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}
