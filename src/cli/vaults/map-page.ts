import { basename } from 'node:path'
import type { GraphCore } from '../../app/graph-core.ts'
import { vaultPicture } from '../../app/picture.ts'
import { readTexts } from '../../app/texts.ts'
import type { NodeId } from '../../core/ids.ts'

export interface MapPageOptions {
  /** The page without a map, with `MAP_HERE` where its data belongs. */
  readonly template: string
  /** Whether notes can be read in it. */
  readonly withTexts: boolean
  /** Told where notes could not be read, whose texts are missing then. */
  onUnread(message: string): void
}

/** Where the data of a page stands in its template. */
const MAP_HERE = '"MAP-HERE"'

/** Notes whose texts are read at once. */
const NOTES = 100

/** The map of a vault as one page that needs nothing else, in pieces. Only notes that are listed are on it. */
export async function* mapPage(core: GraphCore, { template, withTexts, onUnread }: MapPageOptions): AsyncGenerator<string> {
  const [before = '', after = ''] = template.split(MAP_HERE)
  const { value: picture } = await vaultPicture(core, { mayMove: 'once' }, { whole: true })
  yield `${before}{"name":${json(core.name ?? basename(core.root))},"picture":${json(picture)}`
  if (withTexts) yield* textsOf(core, picture.ids, onUnread)
  yield `}${after}`
}

async function* textsOf(core: GraphCore, ids: readonly NodeId[], onUnread: MapPageOptions['onUnread']): AsyncGenerator<string> {
  yield ',"texts":['
  let missing = 0
  for (let from = 0; from < ids.length; from += NOTES) {
    const some = ids.slice(from, from + NOTES)
    const { texts, unread } = await core.store.read((snapshot) => readTexts({ core, snapshot, call: { whole: true } }, some))
    missing += unread.length
    const bodies = some.map((id) => {
      const { text = '', bodyStart = 0 } = texts.get(id) ?? {}
      return json(text.slice(bodyStart))
    })
    yield `${from === 0 ? '' : ','}${bodies.join(',')}`
  }
  yield ']'
  if (missing > 0) onUnread(`${missing} of ${ids.length} notes could not be read: the page has their titles only.`)
}

/** JSON that can end no element of a page and begin none. */
function json(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
