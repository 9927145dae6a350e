// The marks that sync tools add between a name's stem and its extension. Each pattern requires a date or a possessive,
// because a note may be about conflicted copies; `note 2.md` and `note (1).md` do not count.
const DATE = String.raw`(?:\d{4}-\d\d-\d\d|\d{8,14})[^()]{0,40}`
const MARKS = [
  // Dropbox, Nextcloud, and Obsidian Sync with its device before the date.
  String.raw` \((?:[^()]{1,100}['’]s? )?[Cc]onflicted copy(?: (?:[^()]{1,100} )?${DATE})?(?: ?\(\d+\))?\)(?: \(\d+\))?`,
  // Box.
  String.raw` \([^()]{1,100} conflicted copy ${DATE}\)(?: \(\d+\))?`,
  // Dropbox in German, French and Spanish.
  String.raw` \((?:In Konflikt stehende Kopie|Copie en conflit|Copia en conflicto)(?: [^()]{1,140})?\)`,
  // Dropbox for names that differ in case or normal form alone, Joplin; pCloud.
  String.raw` \((?:Case |Unicode Encoding )?Conflict(?: \d+)?\)`,
  String.raw` [([]conflicted[)\]]`,
  // Seafile, with the user and the time.
  String.raw` \(SFConflict [^()]{1,140}\)`,
  // Syncthing; old versions named no device.
  String.raw`\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{1,63})?`,
  // ownCloud; Resilio; Synology Drive with host and time.
  String.raw`_conflict-\d{8}-\d{6}`,
  String.raw`\.Conflict(?:\(\d+\))?(?=\.)`,
  String.raw`_[^_/]{1,100}_[A-Z][a-z]{2}-\d\d-\d{6}-\d{4}_(?:Case|Unicode)?Conflict`,
]
const CONFLICT = new RegExp(`^(.*[^/])(?:${MARKS.join('|')})(\\.[^./ ]*)?$`, 's')

/**
 * The path of the file that a sync tool made a conflict copy of, judged by the copy's name alone (it need not exist any more);
 * `undefined` for any other file.
 */
export function conflictOriginal(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const original = stripMarks(name)
  return original === name ? undefined : path.slice(0, path.length - name.length) + original
}

/** A copy of a copy bears two marks. */
function stripMarks(name: string): string {
  const [, stem, extension = ''] = CONFLICT.exec(name) ?? []
  return stem === undefined ? name : stripMarks(stem + extension)
}
