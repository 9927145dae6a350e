/** Returns a file name's extension in lower case without the dot, or an empty string. */
export function endingOf(name: string): string {
  return /[^/]\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
}

// Extensions that are as common for source code as for videos.
const UNCLEAR = new Set(['ts', 'mts'])

/** Returns the media type for a file name, e.g. `image/png`, or `undefined` if the extension is unknown. */
export async function mediaTypeOf(name: string): Promise<string | undefined> {
  // Imported lazily because the table is large.
  const { default: mime } = await import('mime')
  const ending = endingOf(name)
  return UNCLEAR.has(ending) ? undefined : (mime.getType(ending) ?? undefined)
}

// Text formats that `mime` lists under `application/`.
const TEXTUAL = new Set(['javascript', 'ecmascript', 'json5', 'sql', 'toml', 'yaml', 'x-sh', 'x-subrip', 'x-tex'])

/** Checks whether a media type is readable text, such as `text/csv`, `image/svg+xml` or `application/json`. */
export function isTextual(type: string): boolean {
  const [kind, subtype = ''] = type.split('/')
  return kind === 'text' || /(?:^|\+)(?:json|xml|yaml)$/.test(subtype) || TEXTUAL.has(subtype)
}
