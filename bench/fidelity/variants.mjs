// Byte variants of the same note; files are strings with one character per byte.

/** Invalid UTF-8: a lone continuation byte, a cut sequence, and bytes that never occur. */
const INVALID = 'caf\xe9 \x80 \xe2\x82 \xff\xfe'

export const VARIANTS = {
  'as they are': (raw) => raw,
  crlf: (raw) => raw.replace(/\r?\n/g, '\r\n'),
  bom: (raw) => (raw.startsWith('\xef\xbb\xbf') ? raw : `\xef\xbb\xbf${raw}`),
  bare: (raw) => raw.replace(/[\r\n]+$/, ''),
  spaces: (raw) => raw.replace(/([A-Za-z.,:])(?=\r?\n)/g, '$1  '),
  invalid: (raw) => `${raw.replace(/[^\n]$/, '$&\n')}\n${INVALID}\n`,
}
