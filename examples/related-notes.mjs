// For a question, the notes that answer it and what is linked to each: node examples/related-notes.mjs <folder> "<question>"
import { openVault, RouxError } from 'roux'

const [folder, query] = process.argv.slice(2)
if (folder === undefined || query === undefined) {
  console.error('Usage: related-notes.mjs <folder> "<question>"')
  process.exit(2)
}
const vault = await openVault(folder, { watch: false })
try {
  await vault.ready()
  const { value: answers, warnings } = await vault.search({ query, limit: 3 })
  for (const { id, title } of answers) {
    console.log(`${title} (${id})`)
    const { value: neighbors } = await vault.getNeighbors({ id, limit: 3 })
    for (const neighbor of neighbors) console.log(`  ${neighbor.title} (${neighbor.id})`)
  }
  for (const { message } of warnings) console.error(message)
} catch (error) {
  if (!(error instanceof RouxError)) throw error
  console.error([error.message, error.hint].filter(Boolean).join(' '))
  process.exitCode = 1
} finally {
  await vault.close()
}
