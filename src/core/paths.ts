/** Returns the folder of a path without a trailing `/`, or an empty string for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Returns a folder and the folders around it, the innermost first, without the root. */
export function withParents(folder: string): readonly string[] {
  const folders: string[] = []
  for (let path = folder; path !== ''; path = folderOf(path)) folders.push(path)
  return folders
}

/** Returns the prefix of all paths in a folder, or an empty string for the root. */
export function folderStart(folder: string): string {
  return inFolder(folder, '')
}

export function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function fileStemOf(path: string): string {
  return nameOf(path).replace(/\.[^.]*$/, '')
}

/** Returns true if the path is in the folder or is the folder itself. It also works for nested tags. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}
