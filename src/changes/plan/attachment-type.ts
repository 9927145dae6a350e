import type { FileTypeResult } from 'file-type/core'
import type { Mime } from 'mime'
import { invalid, RouxError } from '../../core/errors.ts'
import { endingOf, isTextual, mediaTypeOf } from '../../core/media-types.ts'
import { quietly } from '../../core/quietly.ts'
import { quote } from '../path-rules.ts'

const OCTETS = 'application/octet-stream'

// The syntax of a media type, as defined in RFC 6838 §4.2.
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/

export interface Claim {
  readonly filename: string
  readonly mimeType: string | undefined
}

/**
 * Checks that file name, bytes and media type match. Unknown formats always match.
 * @throws RouxError `INVALID_PARAMS` with the detected type
 */
export async function requireType(bytes: Uint8Array, { filename, mimeType }: Claim): Promise<void> {
  const { default: mime } = await import('mime')
  const ending = endingOf(filename)
  const typeOfName = knownType(await mediaTypeOf(filename))
  const givenType = knownType(mimeType === undefined ? undefined : requireMediaType(mimeType))
  // An extension can have a signature without a media type.
  const isKnown = typeOfName !== undefined || isBinary(ending)
  if (isKnown && givenType !== undefined && !areConsistent(mime, { ending, named: typeOfName, given: givenType }))
    throw disagree(mime, { filename, named: typeOfName, given: givenType })
  const endings = isKnown ? [ending] : [...(givenType === undefined ? [] : (mime.getAllExtensions(givenType) ?? []))]
  const type = typeOfName ?? givenType ?? (isKnown ? `.${ending}` : OCTETS)
  const content = await recognize(bytes)
  if (!fits(mime, { endings, type, content })) throw notThat(filename, { type, content })
}

function knownType(type: string | undefined): string | undefined {
  return type === OCTETS ? undefined : type
}

function requireMediaType(text: string): string {
  const type = text.replace(/;.*$/s, '').trim().toLowerCase()
  if (MEDIA_TYPE.test(type)) return type
  throw invalid(`mime_type ${quote(text)} is not a media type.`, 'Use a media type such as "image/png", or omit it.')
}

interface Names {
  readonly ending: string
  readonly named: string | undefined
  readonly given: string
}

function areConsistent(mime: Mime, { ending, named, given }: Names): boolean {
  if (named === given) return true
  if ([...(mime.getAllExtensions(given) ?? [])].some((extension) => areSameFormat(ending, extension))) return true
  const [givenKind = '', givenSubtype = ''] = given.split('/')
  // These common but unregistered names are accepted, such as `audio/x-wav`, `image/jpg` and `application/yaml`.
  const bare = bareSubtype(givenSubtype)
  if (named === undefined) return areSameFormat(ending, bare)
  if (isTextual(named) && given === 'text/plain') return true
  const [kind = '', subtype = ''] = named.split('/')
  return areRelated(kind, givenKind) && (bare === bareSubtype(subtype) || areSameFormat(ending, bare))
}

function bareSubtype(subtype: string): string {
  return subtype.replace(/^x-/, '').replace(/-compressed$/, '')
}

function areRelated(a: string, b: string): boolean {
  return (
    a === b ||
    [a, b].every((kind) => kind === 'audio' || kind === 'video') ||
    [a, b].every((kind) => kind === 'text' || kind === 'application')
  )
}

interface Expected {
  readonly endings: readonly string[]
  readonly type: string
  readonly content: Recognized
}

function fits(mime: Mime, { endings, type, content: { isText, found } }: Expected): boolean {
  if (endings.length === 0) return isText || !isTextual(type)
  // The extensions `.svgz` and `.svg` have the same media type.
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
    `${quote(filename)} is ${named ?? 'something else'} according to its name, but mime_type is ${given}.`,
    {
      hint: better === null ? 'Omit mime_type.' : `Use a name that ends in ".${better}", or omit mime_type.`,
    },
  )
}

function notThat(filename: string, { type, content: { isText, found } }: Omit<Expected, 'endings'>): RouxError {
  const really = found !== undefined ? `${found.mime} (.${found.ext})` : isText ? 'text' : 'something else'
  const better = found === undefined ? undefined : filename.slice(0, filename.lastIndexOf('.') + 1) + found.ext
  return new RouxError('INVALID_PARAMS', `${quote(filename)} should be ${type}, but its bytes are ${really}.`, {
    hint:
      better === undefined
        ? 'Check the name and the content.'
        : `Name it ${quote(better)}, or send content that matches the name.`,
  })
}

// Groups of extensions that share a signature or are interchangeable.
const SIGNED = `
  png apng | jpg jpeg jpe jfif pjpeg pjp | gif | webp | bmp dib | ico cur | avif heic heif hif | jxl | jp2 jpx jpf | psd
  tif tiff dng nef arw cr2 orf rw2
  mp4 m4a m4b m4p m4v mov qt f4v 3gp 3g2 | mkv webm mka | ogg oga ogv ogx ogm opus spx | flac | wav | avi | asf wma wmv
  pdf ai | ps eps ai | zip | gz tgz svgz tar.gz | 7z cb7 | rar cbr | bz2 tbz2 | xz txz | zst | wasm | ttf otf ttc | woff | woff2
  cfb doc xls xlt ppt pps vsd | docx | docm | dotx | xlsx | xlsm | xltx | pptx | pptm | potx | ppsx | odt | ods | odp | odg
  epub | jar | apk`

// Data in these formats can start anywhere in a stream, so a signature is optional.
const UNSIGNED = 'mp1 mp2 mp3 mpga | mpg mpeg mpe | aac adts'

const ZIPPED = new Set(
  'zip docx docm dotx xlsx xlsm xltx pptx pptm potx ppsx odt ods odp odg epub jar apk kmz cbz xpi'.split(' '),
)

/** The formats that other formats are based on. */
const CONTAINERS = new Set(['zip', 'xml', 'gz', 'tar', 'tar.gz', 'cfb', '7z', 'sqlite', 'ps'])

const TEXTS = new Set(['xml', 'rtf', 'ps', 'eps', 'pdf', 'ics', 'vcf', 'vtt', 'pgp', 'reg', 'stl'])

const signatureGroups = groupsOf(SIGNED)

const unsigned = groupsOf(UNSIGNED)

function isSigned(ending: string): boolean {
  return signatureGroups.has(ending)
}

function isBinary(ending: string): boolean {
  return signatureGroups.has(ending) || unsigned.has(ending)
}

function areSameFormat(a: string, b: string): boolean {
  const groups = signatureGroups.get(a) ?? unsigned.get(a)
  return a === b || (groups?.some((group) => group.includes(b)) ?? false)
}

function mayBe(ending: string, foundEnding: string): boolean {
  if (areSameFormat(ending, foundEnding)) return true
  if (ZIPPED.has(ending) && ZIPPED.has(foundEnding)) return ending === 'zip' || foundEnding === 'zip'
  return !isBinary(ending) && CONTAINERS.has(foundEnding)
}

export interface Recognized {
  readonly isText: boolean
  readonly found: FileTypeResult | undefined
}

async function recognize(bytes: Uint8Array): Promise<Recognized> {
  const { fileTypeFromBuffer } = await import('file-type/core')
  const fileType = await fileTypeFromBuffer(bytes)
  const isText = isTextBytes(bytes)
  // Ordinary text can also start with signatures such as `BM` or `ID3`.
  return { isText, found: isText && fileType !== undefined && !TEXTS.has(fileType.ext) ? undefined : fileType }
}

// Bytes that never occur in text that is ASCII, UTF-8 or in an 8-bit character set, according to file(1).
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters.
const CONTROL = /[\x00-\x06\x0e-\x1a\x1c-\x1f]/

function isTextBytes(bytes: Uint8Array): boolean {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return isUtf16(bytes, 'utf-16le')
  if (first === 0xfe && second === 0xff) return isUtf16(bytes, 'utf-16be')
  return !CONTROL.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'))
}

function isUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): boolean {
  return quietly(() => !CONTROL.test(new TextDecoder(encoding, { fatal: true }).decode(bytes))) ?? false
}

type Groups = ReadonlyMap<string, readonly (readonly string[])[]>

function groupsOf(table: string): Groups {
  const groups = new Map<string, (readonly string[])[]>()
  for (const line of table.trim().split(/[|\n]/)) {
    const group = line.trim().split(' ')
    for (const ending of group) groups.set(ending, [...(groups.get(ending) ?? []), group])
  }
  return groups
}

/** The maximum size of decoded content, in bytes. */
const MAX_BYTES = 5 << 20

/**
 * Decodes base64 as defined in RFC 4648 §4: with padding, without line breaks or stray bits.
 * @throws RouxError `INVALID_PARAMS` with the 0-based position of the first invalid character; `TOO_LARGE` above 5 MB
 */
export function requireContent(content: string): Uint8Array {
  if (content === '') throw invalid('content is empty.', "Send the file's bytes in base64.")
  const padding = content.endsWith('==') ? 2 : content.endsWith('=') ? 1 : 0
  const size = Math.ceil((content.length * 3) / 4) - padding
  if (size > MAX_BYTES) {
    throw new RouxError('TOO_LARGE', `The attachment has ${size} bytes, but at most ${MAX_BYTES} (5 MB) are allowed.`, {
      hint: 'Make it smaller, or copy it into the vault yourself.',
    })
  }
  const stray = content.search(/[^A-Za-z0-9+/]/)
  if (stray >= 0 && stray < content.length - padding) throw notBase64(stray, strayHint(content, stray))
  if (content.length % 4 !== 0)
    throw notBase64(content.length, 'It ends within a group of four characters: is it truncated, or is its padding "=" missing?')
  const last = content.slice(-4)
  if (Buffer.from(last, 'base64').toString('base64') !== last) {
    throw notBase64(content.length - padding - 1, 'The last character has bits that belong to no byte: encode the file again.')
  }
  return Buffer.from(content, 'base64')
}

function strayHint(content: string, at: number): string {
  const character = String.fromCodePoint(content.codePointAt(at) ?? 0)
  if (/^data:/i.test(content)) return 'Remove everything up to "base64,".'
  if (/\s/.test(character)) return 'Remove spaces and line breaks.'
  if (character === '-' || character === '_') return 'Use "+" and "/" instead of "-" and "_".'
  return `${JSON.stringify(character)} is not allowed in base64: send the file's bytes in base64.`
}

function notBase64(position: number, hint: string): RouxError {
  return invalid(`content is not valid base64 at position ${position}.`, hint)
}
