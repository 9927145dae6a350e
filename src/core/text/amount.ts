/** Formats a count with its noun, for example `1 change` or `3,000 changes`. */
export function amount(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`
}

/** Formats the number of items in a list of a result, for example `1 property`, `2 snippets` or `3 between`. */
export function amountOf(count: number, member: string): string {
  if (NO_NOUNS.has(member)) return `${count.toLocaleString('en')} ${member}`
  const singular = member.replace(/ies$/, 'y').replace(/(?<!s)s$/, '')
  return amount(count, singular, singular === member ? `${member}s` : member)
}

/** List names that have no plural. */
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
