import type { Catalogue } from '../../app/insight/catalogues.ts'
import type { ChangedNote, ChangesAnswer } from '../../app/insight/changes-since.ts'
import type { GapList } from '../../app/insight/gaps.ts'
import type { CommunityRow, VaultMap } from '../../app/insight/map.ts'
import type { LinkEdit, LinkSuggestion, SuggestionList } from '../../app/insight/suggest-links.ts'
import { amount } from '../../core/text/format.ts'
import { type Look, localTime, PLAIN, printable, section, wrapParts, wrapSentence, wrapWords } from './text.ts'

const SHOWN = { communities: 40, bridges: 8 }
const WIDTH = 100
const INDENT = '      '
const MIN_ROOM = 24

export function renderMap(map: VaultMap, { paint = PLAIN, width = WIDTH }: Look): string {
  const { notes, links, catalogues = [], community, communities, between, stubs, alone, changed } = map
  const room = Math.max(MIN_ROOM, Math.min(width, WIDTH) - INDENT.length)
  const labels = new Map(communities.map(({ id, label }) => [id, label]))
  const wrapped = (text: string): readonly string[] => wrapWords(printable(text), room).map((line) => INDENT + line)
  const describe = (row: CommunityRow): readonly string[] => [
    `${paint('faint', row.id.padEnd(INDENT.length - 1))} ${wrapParts(`${paint('bold', printable(row.label))}  ${countOf(row)}`, room, INDENT)}`,
    ...wrapped(row.about),
    ...wrapped(
      row.key
        .map(({ title }) => title)
        .filter((title) => title !== row.label)
        .join(' · '),
    ).map((line) => paint('faint', line)),
  ]
  const hidden = communities.length - SHOWN.communities
  const lines = [
    community === undefined
      ? `${amount(notes, 'note')}, ${amount(links, 'link')}, ${amount(communities.length, 'community', 'communities')}.`
      : describe(community).join('\n'),
    ...(stubs > 0 ? [`${amount(stubs, 'note')} ${stubs === 1 ? 'has' : 'have'} hardly any text.`] : []),
    ...(alone > 0 ? [`${amount(alone, 'note')} ${alone === 1 ? 'belongs' : 'belong'} to no community.`] : []),
    ...changeLine(changed),
    '',
    ...(catalogues.length > 0
      ? [
          paint('bold', 'Most notes are short entries with the same structure'),
          ...catalogues.map((row) => `  ${wrapParts(catalogueLine(row), room, '    ')}`),
          '',
        ]
      : []),
    ...communities.slice(0, SHOWN.communities).flatMap((row) => [...describe(row), '']),
    ...(hidden > 0 ? [`and ${amount(hidden, 'smaller community', 'smaller communities')}; --json has all.`, ''] : []),
    ...(between.length > 0 ? [paint('bold', 'Between them')] : []),
    ...between.slice(0, SHOWN.bridges).map(({ of: [a, b], links: count, through }) => {
      const [first, second] = [labels.get(a) ?? a, labels.get(b) ?? b]
      const line = `${printable(first)} — ${printable(second)}: ${amount(count, 'link')}, through ${printable(through.title)}`
      return `  ${wrapParts(line, room, '    ')}`
    }),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}

function catalogueLine({ folder, where = {}, notes, of, properties }: Catalogue): string {
  const place = folder === '' ? 'the top folder' : printable(folder)
  const kind = Object.entries(where).map(([key, value]) => `, ${printable(key)}: ${printable(value)}`)
  const form = properties.length === 0 ? '' : ` (${properties.map(printable).join(', ')})`
  return `${notes === of ? amount(notes, 'note') : `${notes} of ${amount(of, 'note')}`} in ${place}${kind.join('')}${form}`
}

function countOf({ notes, inside, stubs }: CommunityRow): string {
  return `${amount(notes, 'note')}, ${Math.round(inside * 100)} % of links inside${stubs === undefined ? '' : ', mostly stubs'}`
}

function changeLine(changed: VaultMap['changed']): readonly string[] {
  if (changed === undefined || (changed.new.length === 0 && changed.gone.length === 0 && changed.moved === 0)) return []
  const parts = [
    ...(changed.new.length > 0 ? [`new: ${changed.new.join(', ')}`] : []),
    ...(changed.gone.length > 0 ? [`gone: ${changed.gone.join(', ')}`] : []),
    ...(changed.moved > 0 ? [`${amount(changed.moved, 'note')} moved`] : []),
  ]
  return [`Since the last map: ${parts.join('; ')}.`]
}

export function renderGaps(gaps: GapList, look: Look): string {
  const { paint = PLAIN } = look
  const part = (title: string, total: number | undefined, lines: readonly string[]): readonly string[] =>
    total === undefined ? [] : section(`${title} (${total})`, lines, look)
  const lines = [
    ...part(
      'Similar communities with few links',
      gaps.totals.apart,
      (gaps.apart ?? []).map(
        ({ of, labels, links, expected }) =>
          `${labels.map(printable).join(' | ')}: ${amount(links, 'link')}, ${expected} expected by chance  ${paint('faint', `apart:${of.join(',')}`)}`,
      ),
    ),
    ...part(
      'Notes whose removal would disconnect others',
      gaps.totals.cut,
      (gaps.cut ?? []).map(
        ({ id, title, falls_off: count }) => `${printable(title)}: ${amount(count, 'note')}  ${paint('faint', `cut:${id}`)}`,
      ),
    ),
    ...part(
      'Missing notes',
      gaps.totals.wanted,
      (gaps.wanted ?? []).map(
        ({ name, notes }) =>
          `${printable(name)}: wanted by ${amount(notes, 'note')}  ${paint('faint', `wanted:${printable(name)}`)}`,
      ),
    ),
    ...part(
      'Dead ends',
      gaps.totals.dead_ends,
      (gaps.dead_ends?.first ?? []).map(({ id, title }) => `${printable(title)}  ${paint('faint', `dead_ends:${id}`)}`),
    ),
  ]
  return lines.length === 0 ? 'Nothing found.\n' : `${lines.join('\n').trimEnd()}\n`
}

export function renderSuggestions({ suggestions }: SuggestionList, { paint = PLAIN, width = WIDTH }: Look): string {
  if (suggestions.length === 0) return 'Nothing found.\n'
  const columns = Math.min(width, WIDTH)
  const lines = suggestions.flatMap((suggestion) => [
    wrapParts(
      `${paint('bold', printable(suggestion.title))}  ${suggestion.score.toFixed(2)}  ${paint('faint', printable(suggestion.why.join(', ')))}`,
      columns,
      '  ',
    ),
    paint('faint', `from ${printable(suggestion.from)}, ${placeOf(suggestion)}, to ${printable(suggestion.to)}`),
    ...(suggestion.kind === 'named' ? wrapWords(printable(suggestion.text), columns - 2).map((line) => `  ${line}`) : []),
    ...(suggestion.kind === 'named' && suggestion.edit !== undefined
      ? [`  → ${printable(suggestion.edit.arguments.replace_text.replace)}`]
      : []),
    '',
  ])
  return lines.join('\n')
}

export interface OfferOptions extends Look {
  readonly number: number
  readonly total: number
}

export function renderOffer(
  { title, score, why, from, line, text, edit }: LinkSuggestion & { readonly kind: 'named'; readonly edit: LinkEdit },
  { paint = PLAIN, number, total }: OfferOptions,
): string {
  const { find, replace } = edit.arguments.replace_text
  const at = text.indexOf(find)
  // A truncated line may lack the replaced text or contain it twice.
  const isPlain = at !== -1 && text.indexOf(find, at + 1) === -1
  const link = paint('green', printable(replace))
  return [
    '',
    `${number} of ${total}  ${paint('bold', printable(title))}  ${score.toFixed(2)}  ${paint('faint', printable(why.join(', ')))}`,
    paint('faint', `${printable(from)}, line ${line}`),
    `- ${printable(text)}`,
    isPlain ? `+ ${printable(text.slice(0, at))}${link}${printable(text.slice(at + find.length))}` : `+ … ${link} …`,
  ].join('\n')
}

function placeOf(suggestion: LinkSuggestion): string {
  if (suggestion.kind === 'named') return `line ${suggestion.line}`
  return suggestion.section.length === 0 ? 'anywhere in it' : `in ${printable(suggestion.section.join(' › '))}`
}

export function renderChanges(answer: ChangesAnswer, look: Look): string {
  const { paint = PLAIN, width } = look
  const { notes, links, broken, fixed, orphans, rising, totals, since, state, cursor } = answer
  const part = (name: string, title: string, lines: readonly string[]): readonly string[] => {
    const total = totals[name] ?? lines.length
    const more = total > lines.length ? [`… ${total - lines.length} more: --limit ${total}`] : []
    return lines.length === 0 ? [] : section(`${title} (${total})`, [...lines.map(printable), ...more], look)
  }
  const noteLine = ({ id, title }: ChangedNote): string => `${title}  ${id}`
  const place = (id: string, line: number): string => (line === 0 ? id : `${id}:${line}`)
  const linkLine = ({ from, to, line }: ChangesAnswer['links']['gained'][number]): string => `${place(from, line)} → ${to}`
  const brokenLine = ({ id, line, text }: ChangesAnswer['broken'][number]): string => `${place(id, line)}  ${text}`
  const parts = [
    ...part('added', 'Added', notes.added.map(noteLine)),
    ...part('changed', 'Changed', notes.changed.map(noteLine)),
    ...part(
      'moved',
      'Moved',
      notes.moved.map((note) => `${note.title}  ${note.from} → ${note.id}`),
    ),
    ...part('removed', 'Removed', notes.removed.map(noteLine)),
    ...part('gained', 'New links', links.gained.map(linkLine)),
    ...part('lost', 'Removed links', links.lost.map(linkLine)),
    ...part('broken', 'Newly broken links', broken.map(brokenLine)),
    ...part('fixed', 'No longer broken', fixed.map(brokenLine)),
    ...part('orphans', 'New notes without links', orphans.map(noteLine)),
    ...part(
      'rising',
      'Linked more',
      rising.map(({ id, was, now }) => `${id}  ${was} → ${now}`),
    ),
  ]
  const lines = [
    paint('bold', since === undefined ? 'The log does not reach further back.' : `Since ${localTime(since)}`),
    '',
    ...(parts.length === 0 && since !== undefined ? ['Nothing changed.', ''] : parts),
    ...(state === undefined ? [] : [wrapSentence(stateLine(state), width, ''), '']),
    ...(cursor === null ? [] : [paint('faint', `Continue from here: roux changes-since --cursor ${printable(cursor)}`), '']),
  ]
  return lines.join('\n')
}

function stateLine({ notes, links, broken, orphans }: NonNullable<ChangesAnswer['state']>): string {
  return `Now: ${amount(notes, 'note')}, ${amount(links, 'link')} among them, ${broken} broken, ${amount(orphans, 'note')} without any.`
}
