import { RouxError } from '../../core/errors.ts'

/** Decoded bytes. */
const MAX_BYTES = 5 << 20

/**
 * Decodes base64 (RFC 4648 §4: with padding, without line breaks or stray bits), up to 5 MB.
 * @throws RouxError `INVALID_PARAMS` with the position, from 0, of the first invalid character; `TOO_LARGE`
 */
export function requireContent(content: string): Uint8Array {
  if (content === '') throw new RouxError('INVALID_PARAMS', 'content is empty.', { hint: "Give the file's bytes in base64." })
  const padding = content.endsWith('==') ? 2 : content.endsWith('=') ? 1 : 0
  const size = Math.ceil((content.length * 3) / 4) - padding
  if (size > MAX_BYTES) {
    throw new RouxError('TOO_LARGE', `The attachment has ${size} bytes; ${MAX_BYTES} (5 MB) are allowed.`, {
      hint: 'Make it smaller, or put it into the vault by hand.',
    })
  }
  const stray = content.search(/[^A-Za-z0-9+/]/)
  if (stray >= 0 && stray < content.length - padding) throw notBase64(stray, strayHint(content, stray))
  if (content.length % 4 !== 0)
    throw notBase64(content.length, 'It ends within a group of four characters: is it cut off, or its padding "=" missing?')
  const last = content.slice(-4)
  if (Buffer.from(last, 'base64').toString('base64') !== last) {
    throw notBase64(content.length - padding - 1, 'The last character holds bits that belong to no byte: encode the file again.')
  }
  return Buffer.from(content, 'base64')
}

function strayHint(content: string, at: number): string {
  const character = String.fromCodePoint(content.codePointAt(at) ?? 0)
  if (/^data:/i.test(content)) return 'Leave out everything up to "base64,".'
  if (/\s/.test(character)) return 'Leave out spaces and line breaks.'
  if (character === '-' || character === '_') return 'Use "+" and "/" instead of "-" and "_".'
  return `${JSON.stringify(character)} cannot be there: give the file's bytes in base64.`
}

function notBase64(position: number, hint: string): RouxError {
  return new RouxError('INVALID_PARAMS', `content is no base64 at position ${position}.`, { hint })
}
