/**
 * Spreads notes over a frame in territories. Territories are cells of a power diagram (Balzer, Deussen: Voronoi treemaps, 2005).
 * Optimal transport along many directions moves the notes there (Pitié et al.: N-dimensional probability density function
 * transfer, 2005). Lloyd's algorithm (1982) then evens out the distances.
 */

/**
 * The aspect ratio of the frame, the exponent of its superellipse outline, and the share of the bounding box inside the outline.
 */
const FRAME = { wide: 1.35, exponent: 4, filled: 0.927 }
/** The space per note relative to the average, from the center to the border of a territory. */
const SPACE = { innermost: 0.45, outermost: 1.7 }
/** Territories are scaled by this factor to leave gaps between them. */
const SHRUNK = 0.97
/** The number of cells. Above `large` cells, the number per note falls. */
const CELLS = { perNote: 16, least: 3_000, large: 200_000, perNoteOfMany: 5 }
/** The share of the frame covered by notes and half of the gaps around them. */
const FILL = 0.55
/** Maximum number of cells per round. */
const SAMPLE = 12_000
const MIN_SAMPLE = 1_000
/** The maximum number of territories. Each cell is compared with all of them. The smallest groups share one. */
const MAX_TERRITORIES = 200
const ROUNDS = { moving: 50, still: 40, transport: 24, evenOut: 8 }
/**
 * The golden angle, 137.5°. Turns by it never repeat a direction (H. Vogel, A better way to construct the sunflower head, 1979).
 */
export const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5))

export interface Nest {
  readonly bodies: readonly number[]
  readonly parts: readonly Nest[]
}

/** Bodies to spread. Each radius includes half of the gap around the body. */
export interface Spreading {
  readonly places: Float32Array
  readonly radii: Float32Array
  readonly groups: readonly Nest[]
}

export function spreadOut({ places, radii, groups }: Spreading): Int32Array {
  const count = radii.length
  const territoryOf = new Int32Array(count)
  if (count === 0) return territoryOf
  const needs = radii.map((radius) => (Math.PI * radius ** 2) / FILL)
  const total = needs.reduce((sum, need) => sum + need, 0)
  const cells = cellsOf(total, count)
  const owners = new Int32Array(cells.x.length).fill(-1)
  const territories: (readonly number[])[] = []
  const settle = (nest: Nest, settled: readonly number[]): void => {
    if (settled.length === 0) return
    const { bodies } = nest
    const parts = sharedFrom(MAX_TERRITORIES, nest.parts)
    if (parts.length === 0) concentrate(bodies, { places, needs })
    if (parts.length !== 1) move(places, bodies, { needs, cells, some: settled })
    if (parts.length > 1) {
      const of = divide({ cells, some: settled, places, needs }, parts)
      for (const [at, part] of parts.entries()) settle(part, of[at] ?? [])
    } else if (parts[0] !== undefined) settle(parts[0], settled)
    else {
      for (const cell of settled) owners[cell] = territories.length
      for (const body of bodies) territoryOf[body] = territories.length
      territories.push(bodies)
    }
  }
  settle({ bodies: [...needs.keys()], parts: groups }, [...cells.x.keys()])
  const usual = Math.sqrt(total / count)
  for (let round = 0; round < ROUNDS.evenOut; round++)
    even({ places, needs, territoryOf, cells, owners }, (round < 3 ? 2 : 1) * usual)
  for (const bodies of territories) shrink(bodies, places)
  return territoryOf
}

function concentrate(bodies: readonly number[], { places, needs }: Pick<EvenOutInput, 'places' | 'needs'>): void {
  const [x, y] = meanOf(bodies, places)
  const distances = new Map(
    bodies.map((body) => [body, Math.hypot((places[body * 2] ?? 0) - x, (places[body * 2 + 1] ?? 0) - y)]),
  )
  const outward = [...bodies].sort((a, b) => (distances.get(a) ?? 0) - (distances.get(b) ?? 0))
  const space = (at: number): number => SPACE.innermost + ((SPACE.outermost - SPACE.innermost) * at) / outward.length
  let [before, after] = [0, 0]
  for (const [at, body] of outward.entries()) {
    before += needs[body] ?? 0
    after += (needs[body] ?? 0) * space(at)
  }
  for (const [at, body] of outward.entries()) needs[body]! *= (space(at) * before) / after
}

function shrink(bodies: readonly number[], places: Float32Array): void {
  const middle = meanOf(bodies, places)
  for (const body of bodies)
    for (const axis of [0, 1]) places[body * 2 + axis] = middle[axis]! + SHRUNK * ((places[body * 2 + axis] ?? 0) - middle[axis]!)
}

export function meanOf(bodies: readonly number[], places: Float32Array): readonly [x: number, y: number] {
  const mean = (axis: number): number =>
    bodies.reduce((sum, body) => sum + (places[body * 2 + axis] ?? 0), 0) / Math.max(1, bodies.length)
  return [mean(0), mean(1)]
}

function sharedFrom(maxTerritories: number, groups: readonly Nest[]): readonly Nest[] {
  if (groups.length <= maxTerritories) return groups
  const bySize = [...groups].sort((a, b) => b.bodies.length - a.bodies.length)
  return [
    ...bySize.slice(0, maxTerritories - 1),
    { bodies: bySize.slice(maxTerritories - 1).flatMap(({ bodies }) => bodies), parts: [] },
  ]
}

interface Cells {
  readonly size: number
  readonly columns: number
  readonly rows: number
  readonly x: Float32Array
  readonly y: Float32Array
  /** The index of the cell in each square of the grid, or -1 if the square is outside the frame. */
  readonly at: Int32Array
  readonly half: readonly [width: number, height: number]
}

function cellsOf(area: number, count: number): Cells {
  const { wide, exponent, filled } = FRAME
  const high = Math.sqrt(area / (4 * wide * filled))
  const half = [high * wide, high] as const
  const { perNote, least, large, perNoteOfMany } = CELLS
  const size = Math.sqrt(area / Math.max(least, Math.min(perNote * count, Math.max(large, perNoteOfMany * count))))
  const [columns, rows] = [Math.ceil((2 * half[0]) / size), Math.ceil((2 * half[1]) / size)]
  const at = new Int32Array(columns * rows).fill(-1)
  const x: number[] = []
  const y: number[] = []
  for (let square = 0; square < at.length; square++) {
    const [across, down] = [((square % columns) + 0.5) * size - half[0], (Math.floor(square / columns) + 0.5) * size - half[1]]
    if (Math.abs(across / half[0]) ** exponent + Math.abs(down / half[1]) ** exponent > 1) continue
    at[square] = x.length
    x.push(across)
    y.push(down)
  }
  return { size, columns, rows, x: Float32Array.from(x), y: Float32Array.from(y), at, half }
}

function cellAt({ size, columns, rows, at, half }: Cells, x: number, y: number): number {
  const [column, row] = [Math.floor((x + half[0]) / size), Math.floor((y + half[1]) / size)]
  return column < 0 || row < 0 || column >= columns || row >= rows ? -1 : (at[row * columns + column] ?? -1)
}

interface Target {
  readonly needs: Float32Array
  readonly cells: Cells
  readonly some: readonly number[]
}

const BINS = 2_048

function move(places: Float32Array, bodies: readonly number[], { needs, cells, some }: Target): void {
  let need = 0
  for (const body of bodies) need += needs[body] ?? 0
  const step = Math.max(1, Math.floor(some.length / SAMPLE))
  const sample = some.filter((_, at) => at % step === 0)
  for (let turn = 0; turn < 2 * ROUNDS.transport; turn++) {
    const angle = (turn >> 1) * GOLDEN_ANGLE + (turn % 2) * (Math.PI / 2)
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
    const onto = (x = 0, y = 0): number => x * cos + y * sin
    let [low, high] = [Infinity, -Infinity]
    const extend = (along: number): void => {
      low = Math.min(low, along)
      high = Math.max(high, along)
    }
    for (const body of bodies) extend(onto(places[body * 2], places[body * 2 + 1]))
    for (const cell of sample) extend(onto(cells.x[cell], cells.y[cell]))
    const width = (high - low) / BINS || 1
    const binOf = (along: number): number => Math.min(BINS - 1, Math.floor((along - low) / width))
    const have = new Float64Array(BINS)
    const want = new Float64Array(BINS)
    for (const body of bodies) have[binOf(onto(places[body * 2], places[body * 2 + 1]))]! += (needs[body] ?? 0) / need
    for (const cell of sample) want[binOf(onto(cells.x[cell], cells.y[cell]))]! += 1 / sample.length
    const goals = goalsOf(have, want)
    for (const body of bodies) {
      const along = onto(places[body * 2], places[body * 2 + 1])
      const by = low + width * (goals[binOf(along)] ?? 0) - along
      places[body * 2]! += by * cos
      places[body * 2 + 1]! += by * sin
    }
  }
}

/** Solves one-dimensional optimal transport. Returns target positions in bins. */
function goalsOf(have: Float64Array, want: Float64Array): Float64Array {
  let [passedMass, reached, bin] = [0, 0, 0]
  return have.map((mass) => {
    const target = passedMass + mass / 2
    while (bin < BINS - 1 && reached + (want[bin] ?? 0) < target) reached += want[bin++] ?? 0
    passedMass += mass
    return bin + Math.min(1, (target - reached) / (want[bin] || 1))
  })
}

/** The sites of a power diagram. A higher weight enlarges the territory. */
interface Sites {
  readonly x: Float64Array
  readonly y: Float64Array
  readonly weights: Float64Array
}

interface Dividing extends Target {
  readonly places: Float32Array
}

/** Assigns cells to groups and drops cells at borders. */
function divide(dividing: Dividing, groups: readonly Nest[]): readonly (readonly number[])[] {
  const { cells, some, places, needs } = dividing
  const sites = {
    x: new Float64Array(groups.length),
    y: new Float64Array(groups.length),
    weights: new Float64Array(groups.length),
  }
  for (const [at, { bodies }] of groups.entries())
    for (const body of bodies) {
      sites.x[at]! += (places[body * 2] ?? 0) / bodies.length
      sites.y[at]! += (places[body * 2 + 1] ?? 0) / bodies.length
    }
  const areas = groups.map(({ bodies }) => bodies.reduce((sum, body) => sum + (needs[body] ?? 0), 0))
  const total = areas.reduce((sum, room) => sum + room, 0)
  const shares = areas.map((room) => room / total)
  for (let round = 0; round < ROUNDS.moving + ROUNDS.still; round++) fitSites(dividing, sites, { shares, round })
  const owners = new Int32Array(cells.x.length).fill(-1)
  for (const cell of some) owners[cell] = siteOf(sites, cells.x[cell] ?? 0, cells.y[cell] ?? 0)
  const of = groups.map((): number[] => [])
  for (const cell of some) if (!isBorder(cells, owners, cell)) of[owners[cell] ?? -1]?.push(cell)
  return of
}

/** Fits each site's weight to its required space. The first `ROUNDS.moving` rounds also move sites to their centroids. */
function fitSites(
  { cells, some }: Dividing,
  sites: Sites,
  { shares, round }: { readonly shares: readonly number[]; readonly round: number },
): void {
  const step = Math.max(1, Math.floor(Math.min(cells.x.length / SAMPLE, some.length / MIN_SAMPLE)))
  const [sumX, sumY, owned] = [0, 1, 2].map(() => new Float64Array(shares.length)) as [Float64Array, Float64Array, Float64Array]
  let cellCount = 0
  for (let at = round % step; at < some.length; at += step) {
    const cell = some[at] ?? 0
    const [x, y] = [cells.x[cell] ?? 0, cells.y[cell] ?? 0]
    const owner = siteOf(sites, x, y)
    sumX[owner]! += x
    sumY[owner]! += y
    owned[owner]!++
    cellCount++
  }
  for (const [at, share] of shares.entries()) {
    const own = owned[at] ?? 0
    sites.weights[at]! += PACE * (share - own / cellCount) * some.length * cells.size ** 2
    if (round >= ROUNDS.moving || own === 0) continue
    sites.x[at] = (sumX[at] ?? 0) / own
    sites.y[at] = (sumY[at] ?? 0) / own
  }
}

/** How fast the weights adjust. Above 1, they would overshoot. */
const PACE = 0.4

function siteOf({ x, y, weights }: Sites, a: number, b: number): number {
  let best = 0
  let minDistance = Number.POSITIVE_INFINITY
  for (let at = 0; at < x.length; at++) {
    const by = (a - (x[at] ?? 0)) ** 2 + (b - (y[at] ?? 0)) ** 2 - (weights[at] ?? 0)
    if (by >= minDistance) continue
    minDistance = by
    best = at
  }
  return best
}

function isBorder(cells: Cells, owners: Int32Array, cell: number): boolean {
  const [x, y, { size }] = [cells.x[cell] ?? 0, cells.y[cell] ?? 0, cells]
  return [cellAt(cells, x + size, y), cellAt(cells, x - size, y), cellAt(cells, x, y + size), cellAt(cells, x, y - size)].some(
    (near) => (owners[near] ?? -1) !== -1 && owners[near] !== owners[cell],
  )
}

interface EvenOutInput {
  readonly places: Float32Array
  readonly needs: Float32Array
  readonly territoryOf: Int32Array
  readonly cells: Cells
  readonly owners: Int32Array
}

/** Moves bodies to the centroids of their nearest cells. @param more additional search distance */
function even(evening: EvenOutInput, more: number): void {
  const { places, needs, cells, owners } = evening
  const closest = {
    at: new Int32Array(owners.length).fill(-1),
    by: new Float32Array(owners.length).fill(Number.POSITIVE_INFINITY),
  }
  for (let body = 0; body < needs.length; body++) claim(body, more, evening, closest)
  const sums = new Float64Array(needs.length * 3)
  for (const [cell, body] of closest.at.entries()) {
    if (body === -1) continue
    sums[body * 3]! += cells.x[cell] ?? 0
    sums[body * 3 + 1]! += cells.y[cell] ?? 0
    sums[body * 3 + 2]!++
  }
  for (let body = 0; body < needs.length; body++) {
    const claimedArea = sums[body * 3 + 2] ?? 0
    if (claimedArea === 0) continue
    places[body * 2] = (sums[body * 3] ?? 0) / claimedArea
    places[body * 2 + 1] = (sums[body * 3 + 1] ?? 0) / claimedArea
  }
}

interface Closest {
  readonly at: Int32Array
  readonly by: Float32Array
}

function claim(body: number, more: number, { places, needs, territoryOf, cells, owners }: EvenOutInput, closest: Closest): void {
  const { size, columns, rows, half } = cells
  const [x, y] = [places[body * 2] ?? 0, places[body * 2 + 1] ?? 0]
  const radiusSquared = (needs[body] ?? 0) / Math.PI
  const reach = Math.sqrt(radiusSquared) + more
  const column = (at: number): number => Math.min(columns - 1, Math.max(0, Math.floor((at + half[0]) / size)))
  const row = (at: number): number => Math.min(rows - 1, Math.max(0, Math.floor((at + half[1]) / size)))
  const [first, last] = [column(x - reach), column(x + reach)]
  for (let down = row(y - reach); down <= row(y + reach); down++) {
    const fromRow = ((down + 0.5) * size - half[1] - y) ** 2 - radiusSquared
    for (let across = first; across <= last; across++) {
      const cell = cells.at[down * columns + across] ?? -1
      if (cell === -1 || owners[cell] !== territoryOf[body]) continue
      const by = ((across + 0.5) * size - half[0] - x) ** 2 + fromRow
      if (by >= (closest.by[cell] ?? 0)) continue
      closest.by[cell] = by
      closest.at[cell] = body
    }
  }
}
