export function base64({ buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBufferLike>): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}
