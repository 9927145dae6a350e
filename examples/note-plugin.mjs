// Has the chat model of your settings summarize a note, and checks what it quotes: node examples/note-plugin.mjs <folder> <id of a note>
import { openVault, RouxError } from 'roux'

const [folder, noteId] = process.argv.slice(2)
if (folder === undefined || noteId === undefined) {
  console.error('Usage: note-plugin.mjs <folder> <id of a note>')
  process.exit(2)
}
const vault = await openVault(folder, { watch: false })
try {
  await vault.ready()
  const { value: note } = await vault.getNode({ id: noteId })
  if (note === null) throw new RouxError('NODE_NOT_FOUND', `There is no note ${noteId}.`)
  const { value: alike } = await vault.ai.search({ query: { noteId }, relevance: 'strict' })
  console.log(`Like it: ${alike.map(({ title }) => title).join(', ')}`)

  const { text, model, usage } = await vault.ai.chat([
    { role: 'system', content: 'Summarize the note in two sentences. Quote it in "quotation marks", word by word.' },
    { role: 'user', content: note.content },
  ])
  console.log(text)
  // What a model quotes is believed when it stands in the note.
  for (const [, quote] of text.matchAll(/"([^"]+)"/g)) {
    const { value } = await vault.verifyQuote({ id: noteId, quote })
    console.log(value.found ? `  in the note, line ${value.start_line}: ${value.text}` : `  NOT in the note: ${quote}`)
  }
  console.log(`${model}: ${usage.input} + ${usage.output} tokens`)
} catch (error) {
  if (!(error instanceof RouxError)) throw error
  console.error([error.message, error.hint].filter(Boolean).join(' '))
  process.exitCode = 1
} finally {
  await vault.close()
}
