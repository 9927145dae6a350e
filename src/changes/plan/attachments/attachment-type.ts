import type { Mime } from 'mime'
import { RouxError } from '../../../core/errors.ts'
import { endingOf, isTextual, mediaTypeOf } from '../../../core/media-types.ts'
import { quote } from '../../path-rules.ts'
import { areTwins, isBinary, isSigned, mayBe, type Recognised, recognise } from './attachment-formats.ts'

const OCTETS = 'application/octet-stream'
// RFC 6838 §4.2.
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/

/** The caller's claim about the bytes. */
export interface Claim {
  readonly filename: string
  readonly mimeType: string | undefined
}

/**
 * Requires that a file's name, its media type if given, and its bytes agree. Unknown formats cannot disagree.
 * @throws RouxError `INVALID_PARAMS` with the recognised type
 */
export async function requireType(bytes: Uint8Array, { filename, mimeType }: Claim): Promise<void> {
  const { default: mime } = await import('mime')
  const ending = endingOf(filename)
  const named = known(await mediaTypeOf(filename))
  const given = known(mimeType === undefined ? undefined : requireMediaType(mimeType))
  // An ending without a media type may still have a signature.
  const isKnown = named !== undefined || isBinary(ending)
  if (isKnown && given !== undefined && !areOne(mime, { ending, named, given })) throw disagree(mime, { filename, named, given })
  const endings = isKnown ? [ending] : [...(given === undefined ? [] : (mime.getAllExtensions(given) ?? []))]
  const type = named ?? given ?? (isKnown ? `.${ending}` : OCTETS)
  const content = await recognise(bytes)
  if (!fits(mime, { endings, type, content })) throw notThat(filename, { type, content })
}

/** A media type that says something. */
function known(type: string | undefined): string | undefined {
  return type === OCTETS ? undefined : type
}

function requireMediaType(text: string): string {
  const type = text.replace(/;.*$/s, '').trim().toLowerCase()
  if (MEDIA_TYPE.test(type)) return type
  throw new RouxError('INVALID_PARAMS', `mime_type ${quote(text)} is no media type.`, {
    hint: 'Give one like "image/png", or leave it out.',
  })
}

interface Names {
  readonly ending: string
  readonly named: string | undefined
  readonly given: string
}

/** Whether a media type fits this extension. */
function areOne(mime: Mime, { ending, named, given }: Names): boolean {
  if (named === given) return true
  if ([...(mime.getAllExtensions(given) ?? [])].some((one) => areTwins(ending, one))) return true
  const [givenKind = '', givenSubtype = ''] = given.split('/')
  // `audio/x-wav`, `image/jpg`, `application/x-zip-compressed`, `application/yaml`: in use, registered or not.
  const bare = bareSubtype(givenSubtype)
  if (named === undefined) return areTwins(ending, bare)
  if (isTextual(named) && given === 'text/plain') return true
  const [kind = '', subtype = ''] = named.split('/')
  return areNear(kind, givenKind) && (bare === bareSubtype(subtype) || areTwins(ending, bare))
}

function bareSubtype(subtype: string): string {
  return subtype.replace(/^x-/, '').replace(/-compressed$/, '')
}

function areNear(a: string, b: string): boolean {
  return (
    a === b ||
    [a, b].every((kind) => kind === 'audio' || kind === 'video') ||
    [a, b].every((kind) => kind === 'text' || kind === 'application')
  )
}

interface Expected {
  /** Any of them; none where nothing is expected. */
  readonly endings: readonly string[]
  readonly type: string
  readonly content: Recognised
}

function fits(mime: Mime, { endings, type, content: { isText, found } }: Expected): boolean {
  if (endings.length === 0) return isText || !isTextual(type)
  // `.svgz` has the media type of `.svg`.
  if (isTextual(type) && !endings.every(isSigned)) return isText
  if (found === undefined) return !endings.every(isText ? isBinary : isSigned)
  return endings.some((ending) => mayBe(ending, found.ext) || mime.getType(found.ext) === type || found.mime === type)
}

function disagree(
  mime: Mime,
  { filename, named, given }: { readonly filename: string; readonly named: string | undefined; readonly given: string },
): RouxError {
  const better = mime.getExtension(given)
  return new RouxError(
    'INVALID_PARAMS',
    `${quote(filename)} is ${named ?? 'something else'} by its name, but mime_type says ${given}.`,
    {
      hint: better === null ? 'Leave mime_type out.' : `Use a name that ends in ".${better}", or leave mime_type out.`,
    },
  )
}

function notThat(filename: string, { type, content: { isText, found } }: Omit<Expected, 'endings'>): RouxError {
  const really = found !== undefined ? `${found.mime} (.${found.ext})` : isText ? 'text' : 'something else'
  const better = found === undefined ? undefined : filename.replace(/[^.]*$/, found.ext)
  return new RouxError('INVALID_PARAMS', `${quote(filename)} should be ${type}, but its bytes are ${really}.`, {
    hint: better === undefined ? 'Check name and content.' : `Call it ${quote(better)}, or send the bytes that the name tells.`,
  })
}
