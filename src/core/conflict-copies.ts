// Suffixes that sync tools add before the extension. All require a date or a possessive, because a title may contain "conflicted
// copy". `note 2.md` and `note (1).md` do not match.
const DATE = String.raw`(?:\d{4}-\d\d-\d\d|\d{8,14})[^()]{0,40}`
const MARKS = [
  // Dropbox, Nextcloud, and Obsidian Sync, which puts the device name before the date.
  String.raw` \((?:[^()]{1,100}['’]s? )?[Cc]onflicted copy(?: (?:[^()]{1,100} )?${DATE})?(?: ?\(\d+\))?\)(?: \(\d+\))?`,
  // Box.
  String.raw` \([^()]{1,100} conflicted copy ${DATE}\)(?: \(\d+\))?`,
  // Dropbox in German, French and Spanish.
  String.raw` \((?:In Konflikt stehende Kopie|Copie en conflit|Copia en conflicto)(?: [^()]{1,140})?\)`,
  // Joplin, pCloud, and Dropbox for names that differ only in case or normalization.
  String.raw` \((?:Case |Unicode Encoding )?Conflict(?: \d+)?\)`,
  String.raw` [([]conflicted[)\]]`,
  // Seafile adds the user name and time.
  String.raw` \(SFConflict [^()]{1,140}\)`,
  // Syncthing. Old versions add no device id.
  String.raw`\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{1,63})?`,
  // ownCloud, Resilio, and Synology Drive with host name and time.
  String.raw`_conflict-\d{8}-\d{6}`,
  String.raw`\.Conflict(?:\(\d+\))?(?=\.)`,
  String.raw`_[^_/]{1,100}_[A-Z][a-z]{2}-\d\d-\d{6}-\d{4}_(?:Case|Unicode)?Conflict`,
]
const CONFLICT = new RegExp(`^(.*[^/])(?:${MARKS.join('|')})(\\.[^./ ]*)?$`, 's')

/** Returns the path of the original, which need not exist, or `undefined` if the name does not mark a conflict copy. */
export function conflictOriginal(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const original = stripMarks(name)
  return original === name ? undefined : path.slice(0, path.length - name.length) + original
}

/** The function is recursive, because a copy of a copy has two suffixes. */
function stripMarks(name: string): string {
  const [, stem, extension = ''] = CONFLICT.exec(name) ?? []
  return stem === undefined ? name : stripMarks(stem + extension)
}
