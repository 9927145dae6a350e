/** A day, week, month or quarter of a year, as names of files say it. */
const TIME = /^\d{4}(?:[-_. ](?:0[1-9]|1[0-2])|([-_. ]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])|[-_. ]?(?:w\d{1,2}|q[1-4]))$/i

/** Whether a note belongs to a day, week, month or quarter, by its file name; its title may say more. */
export function isJournal(id: string): boolean {
  return TIME.test(id.slice(id.lastIndexOf('/') + 1).replace(/\.md$/i, ''))
}
