import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { requireType } from '../../../../src/changes/plan/attachment-type.ts'
import { RouxError } from '../../../../src/core/errors.ts'
import { PNG, ZIP } from '../attachment-vault.ts'

const SAMPLES: Readonly<Record<string, Uint8Array>> = {
  png: Buffer.from(PNG, 'base64'),
  zip: Buffer.from(ZIP, 'base64'),
  docx: storedZip(
    '[Content_Types].xml',
    '<Override ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>',
  ),
  odt: storedZip('mimetype', 'application/vnd.oasis.opendocument.text'),
  jpg: hex('ffd8ffe000104a46494600010100'),
  gif: Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1'),
  webp: Buffer.from('RIFF\x1a\0\0\0WEBPVP8L\0\0\0\0', 'latin1'),
  pdf: Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\0', 'latin1'),
  mp4: Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isomiso2', 'latin1'),
  mp3: Buffer.from('ID3\x03\0\0\0\0\0\0\xff\xfb\x90\x64\0\0\0\0', 'latin1'),
  wav: Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0', 'latin1'),
  ogg: Buffer.from('OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x1e\x01vorbis\0\0\0', 'latin1'),
  doc: hex(`d0cf11e0a1b11ae1${'00'.repeat(24)}`),
  gz: hex('1f8b08000000000000030300000000000000'),
  text: Buffer.from('id,name\r\n1,Zoë\r\n'),
  latin1: Buffer.from('id,name\n1,Zo\xeb\n', 'latin1'),
  utf16: Buffer.from('\ufeffid,name\n', 'utf16le'),
  svg: Buffer.from('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>'),
  'BM text': Buffer.from('BM stands for British Museum.'),
  unknown: hex('0001020304050607'),
}

/** An archive with a single uncompressed file. */
function storedZip(name: string, content: string): Uint8Array {
  const head = Buffer.alloc(30)
  head.write('PK\x03\x04\x14', 'latin1')
  head.writeUInt32LE(content.length, 18)
  head.writeUInt32LE(content.length, 22)
  head.writeUInt16LE(name.length, 26)
  return Buffer.concat([head, Buffer.from(name + content), Buffer.from(ZIP, 'base64')])
}

function hex(text: string): Uint8Array {
  return Buffer.from(text, 'hex')
}

const check = (sample: string, filename: string, mimeType?: string): Promise<void> =>
  requireType(SAMPLES[sample] ?? new Uint8Array(), { filename, mimeType })

describe('matching types', () => {
  test.each([
    ['png', 'a.png', 'image/png'],
    ['png', 'a.PNG', 'Image/PNG; q=1'],
    ['jpg', 'a.jpg', 'image/jpg'],
    ['jpg', 'a.jfif', 'image/jpeg'],
    ['gif', 'a.gif', undefined],
    ['webp', 'a.webp', 'image/webp'],
    ['pdf', 'a.pdf', 'application/pdf'],
    ['mp4', 'a.mp4', 'video/mp4'],
    ['mp4', 'a.m4a', 'audio/x-m4a'],
    ['mp3', 'a.mp3', 'audio/mp3'],
    ['unknown', 'a.mp3', undefined],
    ['wav', 'a.wav', 'audio/x-wav'],
    ['ogg', 'a.ogg', 'audio/ogg'],
    ['ogg', 'a.opus', undefined],
    ['doc', 'a.doc', 'application/msword'],
    ['docx', 'a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['zip', 'a.docx', undefined],
    ['odt', 'a.odt', undefined],
    ['odt', 'a.zip', 'application/x-zip-compressed'],
    ['zip', 'a.zip', 'application/zip'],
    ['zip', 'a.kmz', undefined],
    ['gz', 'a.svgz', undefined],
    ['svg', 'a.svg', 'image/svg+xml'],
    ['svg', 'a.drawio', 'application/xml'],
    ['text', 'a.csv', 'text/csv'],
    ['text', 'a.csv', 'text/plain; charset=utf-8'],
    ['text', 'a.yaml', 'application/yaml'],
    ['text', 'a.ts', 'text/x-typescript'],
    ['text', 'a.py', 'text/x-python'],
    ['latin1', 'a.csv', undefined],
    ['utf16', 'a.txt', undefined],
    ['BM text', 'a.txt', undefined],
    ['BM text', 'a.tex', undefined],
    ['unknown', 'a.q42', undefined],
    ['unknown', 'a.q42', 'application/octet-stream'],
    ['unknown', 'a.q42', 'application/x-q42'],
    ['png', 'a.q42', 'image/png'],
    ['zip', 'a.q42', undefined],
    ['png', 'a.png', 'application/octet-stream'],
  ])('bytes %s, name %s, type %s', async (sample, filename, mimeType) => {
    await expect(check(sample, filename, mimeType)).resolves.toBeUndefined()
  })
})

describe('mismatched types', () => {
  test.each([
    ['zip', 'a.png', 'image/png', '"a.png" should be image/png, but its bytes are application/zip (.zip).'],
    ['zip', 'a.png', undefined, '"a.png" should be image/png, but its bytes are application/zip (.zip).'],
    ['zip', 'a.mp3', undefined, 'bytes are application/zip'],
    ['zip', 'a.csv', undefined, 'bytes are application/zip'],
    ['zip', 'a.doc', undefined, 'bytes are application/zip'],
    ['odt', 'a.docx', undefined, 'bytes are application/vnd.oasis.opendocument.text'],
    ['jpg', 'a.png', undefined, 'bytes are image/jpeg'],
    ['png', 'a.svg', undefined, 'bytes are image/png'],
    ['png', 'a.json', undefined, 'bytes are image/png'],
    ['png', 'a.stl', undefined, 'bytes are image/png'],
    ['png', 'a.svgz', undefined, 'bytes are image/png'],
    ['text', 'a.png', undefined, 'bytes are text'],
    ['text', 'a.mp3', undefined, 'bytes are text'],
    ['text', 'a.docx', undefined, 'bytes are text'],
    ['unknown', 'a.png', undefined, 'bytes are something else'],
    ['unknown', 'a.txt', undefined, 'bytes are something else'],
    ['unknown', 'a.zst', undefined, 'bytes are something else'],
    ['zip', 'a.q42', 'image/png', 'bytes are application/zip'],
    ['unknown', 'a.q42', 'text/plain', 'bytes are something else'],
    ['png', 'a.png', 'image/jpeg', 'mime_type is image/jpeg'],
    ['png', 'a.png', 'text/png', 'mime_type is text/png'],
    ['text', 'a.csv', 'application/json', 'mime_type is application/json'],
    ['png', 'a.png', 'png', 'not a media type'],
    ['png', 'a.png', '', 'not a media type'],
    ['png', 'a.png', 'image/png\nx', 'not a media type'],
  ])('bytes %s, name %s, type %s', async (sample, filename, mimeType, message) => {
    await expect(check(sample, filename, mimeType)).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringContaining(message),
      hint: expect.any(String),
    })
  })
})

test('suggests a name that matches the bytes', async () => {
  await expect(check('jpg', 'a.b.png')).rejects.toMatchObject({
    hint: 'Name it "a.b.jpg", or send content that matches the name.',
  })
  await expect(check('png', 'a.png', 'image/gif')).rejects.toMatchObject({
    hint: 'Use a name that ends in ".gif", or omit mime_type.',
  })
})

test('accepts any bytes or rejects them with a clear error', async () => {
  const starts = fc.constantFrom(...Object.values(SAMPLES).map((sample) => sample.subarray(0, 12)))
  const names = fc.constantFrom('a.png', 'a.docx', 'a.mp3', 'a.csv', 'a.gz', 'a.q42')
  const bytes = fc.tuple(starts, fc.uint8Array({ maxLength: 300 })).map((parts) => Buffer.concat(parts))
  await fc.assert(
    fc.asyncProperty(bytes, names, async (content, filename) => {
      const outcome = await requireType(content, { filename, mimeType: undefined }).catch((error: unknown) => error)
      expect(outcome === undefined || outcome instanceof RouxError).toBe(true)
    }),
    { numRuns: 500 },
  )
})
