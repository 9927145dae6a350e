/** Returns a file name's extension in lower case, without the dot, or an empty string. */
export function endingOf(name: string): string {
  return /[^/]\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
}

// These extensions are as common for source code as for videos.
const UNCLEAR = new Set(['ts', 'mts'])

/** Returns a media type such as `image/png`, or `undefined` for an unknown extension. */
export async function mediaTypeOf(name: string): Promise<string | undefined> {
  // The table is imported lazily because it is large.
  const { default: mime } = await import('mime')
  const ending = endingOf(name)
  return UNCLEAR.has(ending) ? undefined : (mime.getType(ending) ?? undefined)
}

// The text formats that `mime` lists under `application/`.
const TEXTUAL = new Set(['javascript', 'ecmascript', 'json5', 'sql', 'toml', 'yaml', 'x-sh', 'x-subrip', 'x-tex'])

/** Returns true for types such as `text/csv`, `image/svg+xml` and `application/json`. */
export function isTextual(type: string): boolean {
  const [kind, subtype = ''] = type.split('/')
  return kind === 'text' || /(?:^|\+)(?:json|xml|yaml)$/.test(subtype) || TEXTUAL.has(subtype)
}
