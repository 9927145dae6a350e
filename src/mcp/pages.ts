import { ProtocolError } from '@modelcontextprotocol/server'
import { INVALID_PARAMS } from './protocol-errors.ts'

/** How many items a list shows at once. */
const PAGE_SIZE = 100

export interface ListPage<T> {
  readonly items: readonly T[]
  /** The cursor of the next page; absent on the last. */
  readonly nextCursor?: string
}

/**
 * The page at a cursor, or the first. `list` is part of the cursor, so another list's cursor is refused.
 * @throws ProtocolError −32602 for a cursor of another list
 */
export function pageOf<T>(list: string, items: readonly T[], cursor: string | undefined): ListPage<T> {
  const offset = cursor === undefined ? 0 : readCursor(list, cursor)
  if (offset === undefined || (offset > 0 && offset >= items.length)) {
    throw new ProtocolError(
      INVALID_PARAMS,
      'There is no such page: the cursor is none that this list gave, or the list has changed.',
    )
  }
  const next = offset + PAGE_SIZE
  const page = items.slice(offset, next)
  return next < items.length ? { items: page, nextCursor: writeCursor(list, next) } : { items: page }
}

function writeCursor(list: string, offset: number): string {
  return Buffer.from(`${list}:${offset}`).toString('base64url')
}

function readCursor(list: string, cursor: string): number | undefined {
  const [, offset] = /^[^:]*:([1-9]\d{0,8})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (offset === undefined || writeCursor(list, Number(offset)) !== cursor) return undefined
  return Number(offset) % PAGE_SIZE === 0 ? Number(offset) : undefined
}
