/** In lower case, without the dot. Empty if there is none. */
export function endingOf(name: string): string {
  return /[^/]\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
}

// As common for source code as for videos.
const UNCLEAR = new Set(['ts', 'mts'])

/** For example `image/png`. `undefined` for unknown extensions. */
export async function mediaTypeOf(name: string): Promise<string | undefined> {
  // Imported lazily because the table is large.
  const { default: mime } = await import('mime')
  const ending = endingOf(name)
  return UNCLEAR.has(ending) ? undefined : (mime.getType(ending) ?? undefined)
}

// Text formats that `mime` lists under `application/`.
const TEXTUAL = new Set(['javascript', 'ecmascript', 'json5', 'sql', 'toml', 'yaml', 'x-sh', 'x-subrip', 'x-tex'])

/** For example `text/csv`, `image/svg+xml` and `application/json`. */
export function isTextual(type: string): boolean {
  const [kind, subtype = ''] = type.split('/')
  return kind === 'text' || /(?:^|\+)(?:json|xml|yaml)$/.test(subtype) || TEXTUAL.has(subtype)
}
