import type { FileTypeResult } from 'file-type/core'

// Endings in a line are one format to their first bytes, or are used for each other.
const SIGNED = `
  png apng | jpg jpeg jpe jfif pjpeg pjp | gif | webp | bmp dib | ico cur | avif heic heif hif | jxl | jp2 jpx jpf | psd
  tif tiff dng nef arw cr2 orf rw2
  mp4 m4a m4b m4p m4v mov qt f4v 3gp 3g2 | mkv webm mka | ogg oga ogv ogx ogm opus spx | flac | wav | avi | asf wma wmv
  pdf ai | ps eps ai | zip | gz tgz svgz tar.gz | 7z cb7 | rar cbr | bz2 tbz2 | xz txz | zst | wasm | ttf otf ttc | woff | woff2
  cfb doc xls xlt ppt pps vsd | docx | docm | dotx | xlsx | xlsm | xltx | pptx | pptm | potx | ppsx | odt | ods | odp | odg
  epub | jar | apk`
// Streams that may begin anywhere: what is not recognised can still be one.
const UNSIGNED = 'mp1 mp2 mp3 mpga | mpg mpeg mpe | aac adts'

const ZIPPED = new Set(
  'zip docx docm dotx xlsx xlsm xltx pptx pptm potx ppsx odt ods odp odg epub jar apk kmz cbz xpi'.split(' '),
)
/** Formats that unknown formats may build on. */
const CONTAINERS = new Set(['zip', 'xml', 'gz', 'tar', 'tar.gz', 'cfb', '7z', 'sqlite', 'ps'])
/** Formats that have a signature and are text nevertheless. */
const TEXTS = new Set(['xml', 'rtf', 'ps', 'eps', 'pdf', 'ics', 'vcf', 'vtt', 'pgp', 'reg', 'stl'])

const signed = groupsOf(SIGNED)
const unsigned = groupsOf(UNSIGNED)

/** Whether files with this extension always have a recognisable signature. */
export function isSigned(ending: string): boolean {
  return signed.has(ending)
}

/** Whether files with this extension are never text. */
export function isBinary(ending: string): boolean {
  return signed.has(ending) || unsigned.has(ending)
}

/** Whether two extensions mean one format. */
export function areTwins(a: string, b: string): boolean {
  const groups = signed.get(a) ?? unsigned.get(a)
  return a === b || (groups?.some((group) => group.includes(b)) ?? false)
}

/** Whether bytes recognised as `found` may have this extension. */
export function mayBe(ending: string, found: string): boolean {
  if (areTwins(ending, found)) return true
  if (ZIPPED.has(ending) && ZIPPED.has(found)) return ending === 'zip' || found === 'zip'
  return !isBinary(ending) && CONTAINERS.has(found)
}

export interface Recognised {
  readonly isText: boolean
  /** The ending and media type that the first bytes tell. */
  readonly found: FileTypeResult | undefined
}

/** Recognises bytes by their signature. */
export async function recognise(bytes: Uint8Array): Promise<Recognised> {
  const { fileTypeFromBuffer } = await import('file-type/core')
  const found = await fileTypeFromBuffer(bytes)
  const isText = isTextBytes(bytes)
  // Signatures like `BM` or `ID3` also start ordinary text.
  return { isText, found: isText && found !== undefined && !TEXTS.has(found.ext) ? undefined : found }
}

// The bytes that no text in ASCII, UTF-8 or an 8-bit character set has (as file(1) sees it).
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\x00-\x06\x0e-\x1a\x1c-\x1f]/

function isTextBytes(bytes: Uint8Array): boolean {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return isUtf16(bytes, 'utf-16le')
  if (first === 0xfe && second === 0xff) return isUtf16(bytes, 'utf-16be')
  return !CONTROL.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'))
}

function isUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): boolean {
  try {
    return !CONTROL.test(new TextDecoder(encoding, { fatal: true }).decode(bytes))
  } catch {
    return false
  }
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
