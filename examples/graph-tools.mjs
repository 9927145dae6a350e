// The most central notes by graphology, and a drawing of the vault: node examples/graph-tools.mjs <folder> [drawing.svg]
// Needs: npm install graphology graphology-types graphology-metrics graphology-layout-forceatlas2
import { writeFileSync } from 'node:fs'
import { DirectedGraph } from 'graphology'
import forceAtlas2 from 'graphology-layout-forceatlas2'
import pagerank from 'graphology-metrics/centrality/pagerank.js'
import { openVault, RouxError } from 'roux'

const [folder, drawing] = process.argv.slice(2)
if (folder === undefined) {
  console.error('Usage: graph-tools.mjs <folder> [drawing.svg]')
  process.exit(2)
}
const vault = await openVault(folder, { watch: false })
try {
  await vault.ready()
  const { value: graph, warnings } = await vault.toGraphology()
  for (const { message } of warnings) console.error(message)
  const notes = linkedNotes(graph)
  console.log(`${notes.order} notes, ${notes.size} pairs linked by ${graph.size} links`)

  // As get_hubs counts: a pair of notes counts once, however many links it has. The error is at most a tenth of the last digit shown.
  const ranks = pagerank(notes, { getEdgeWeight: null, tolerance: 1e-8 / Math.max(1, notes.order), maxIterations: 1_000 })
  const central = Object.entries(ranks).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  for (const [id, rank] of central.slice(0, 10)) console.log(`${rank.toFixed(7)}  ${notes.getNodeAttribute(id, 'title')} (${id})`)
  if (drawing !== undefined) {
    writeFileSync(drawing, draw(notes, ranks))
    console.log(`Drawn to ${drawing}.`)
  }
} catch (error) {
  if (!(error instanceof RouxError)) throw error
  console.error([error.message, error.hint].filter(Boolean).join(' '))
  process.exitCode = 1
} finally {
  await vault.close()
}

/** The notes, with one edge from each to every note it links to. */
function linkedNotes(graph) {
  const notes = new DirectedGraph()
  for (const { node, attributes } of graph.nodeEntries()) if (attributes.kind === 'note') notes.addNode(node, attributes)
  for (const { source, target } of graph.edgeEntries())
    if (notes.hasNode(source) && notes.hasNode(target)) notes.mergeDirectedEdge(source, target)
  return notes
}

/** An SVG picture with a circle for each note, larger for central notes and colored by community. */
function draw(notes, ranks) {
  // The layout starts on a circle, so the same vault is always drawn in the same way.
  let at = 0
  notes.updateEachNodeAttributes((_, attributes) => {
    const angle = (2 * Math.PI * at++) / notes.order
    return { ...attributes, x: Math.cos(angle), y: Math.sin(angle) }
  })
  const places = forceAtlas2(notes, { iterations: 300, settings: forceAtlas2.inferSettings(notes) })
  const [xs, ys] = [Object.values(places).map(({ x }) => x), Object.values(places).map(({ y }) => y)]
  const [left, top] = [lowest(xs), lowest(ys)]
  const scale = 960 / Math.max(highest(xs) - left, highest(ys) - top, 1e-9)
  const place = (id) => [(places[id].x - left) * scale + 20, (places[id].y - top) * scale + 20].map((value) => value.toFixed(1))
  const lines = notes.mapEdges((_, __, source, target) => `<path d="M${place(source)} ${place(target)}"/>`)
  const circles = notes.mapNodes((id, { title, community = '' }) => {
    const [x, y] = place(id)
    const hue = [...community].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 0)
    const radius = 3 + 60 * Math.sqrt(ranks[id] / 10)
    return `<circle cx="${x}" cy="${y}" r="${radius.toFixed(1)}" fill="hsl(${hue} 60% 50%)"><title>${xml(title)}</title></circle>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 1000"><g stroke="#8884">${lines.join('\n')}</g>\n${circles.join('\n')}</svg>\n`
}

/** `Math.min(...values)` fails for some 100,000 values. */
function lowest(values) {
  return values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
}

function highest(values) {
  return -lowest(values.map((value) => -value))
}

function xml(text) {
  return text.replace(/[&<>]/g, (found) => `&#${found.charCodeAt(0)};`)
}
