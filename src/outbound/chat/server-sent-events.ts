/**
 * The data of each event of a `text/event-stream`, independent of chunk boundaries; also of a last event without an
 * empty line.
 */
export async function* eventData(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = []
  for await (const line of linesOf(chunks)) {
    if (line === '') {
      if (data.length > 0) yield data.join('\n')
      data = []
    } else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
  }
  if (data.length > 0) yield data.join('\n')
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // A character may be cut in two, and a line may end with CR, LF or both.
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of chunks) {
    rest += decoder.decode(bytes, { stream: true })
    const lines = rest.split(/\r\n|\n|\r(?=[\s\S])/)
    rest = lines.pop() ?? ''
    yield* lines
  }
  rest += decoder.decode()
  if (rest !== '') yield* rest.split(/\r\n|\n|\r/)
}
