/** Formats a number and a noun, such as `1 change` or `3,000 changes`. */
export function amount(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`
}

/** Formats a count of a member, such as `1 property`, `2 snippets` or `3 between`. */
export function amountOf(count: number, member: string): string {
  if (NO_NOUNS.has(member)) return `${count.toLocaleString('en')} ${member}`
  if (member === 'outline') return amount(count, 'heading')
  const singular = member.replace(/ies$/, 'y').replace(/(?<!s)s$/, '')
  return amount(count, singular, singular === member ? `${member}s` : member)
}

const NO_NOUNS: ReadonlySet<string> = new Set([
  'content',
  'between',
  'from',
  'apart',
  'cut',
  'wanted',
  'shared',
  'only_a',
  'only_b',
])

/** Formats a list such as `a, b and 3 more`. */
export function listSome(items: readonly string[], limit: number): string {
  const listed = items.slice(0, limit).join(', ')
  return items.length > limit ? `${listed} and ${items.length - limit} more` : listed
}

/** Returns a date in the local time zone, such as `2026-03-04`. */
export function localDate(time: Date): string {
  return `${String(time.getFullYear()).padStart(4, '0')}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`
}

export function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
