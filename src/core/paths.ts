/** Without a trailing `/`. Empty for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Prefix of all paths in a folder. Empty for the root. */
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

/** True for the folder itself. Also works for nested tags. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}
