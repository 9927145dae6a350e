// Assembles the SIMD kernels of the exact vector scan and of the built-in embedder, and writes them as TypeScript files:
// `node scripts/assemble-kernel.mjs [--print dots|rows]`.
// The kernels use only a few WebAssembly instructions, so this script writes their bytes itself and needs no toolchain.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const TARGETS = { dots: '../src/store/embedded/vectors/kernel-module.ts', rows: '../src/embed/row-sums-module.ts' }

// Encoding follows the WebAssembly core specification 2.0, chapter 5 (binary format).
const unsigned = (value) => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)])
const signed = (value) => (value >= -64 && value < 64 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)])
const vector = (items) => [...unsigned(items.length), ...items.flat()]
const name = (text) => vector([...Buffer.from(text)].map((byte) => [byte]))
const section = (id, items) => [id, ...sized(vector(items))]
const sized = (bytes) => [...unsigned(bytes.length), ...bytes]

const I32 = 0x7f
const V128 = 0x7b
const NO_RESULT = 0x40

const simd = (code) => [0xfd, ...unsigned(code)]
const get = (local) => [0x20, local]
const set = (local) => [0x21, local]
const number = (value) => [0x41, ...signed(value)]
const add = [0x6a]
const lessUnsigned = [0x49]
const notLessUnsigned = [0x4f]
const block = (...body) => [0x02, NO_RESULT, ...body.flat(), 0x0b]
const loop = (...body) => [0x03, NO_RESULT, ...body.flat(), 0x0b]
const branch = (depth) => [0x0c, depth]
const branchIf = (depth) => [0x0d, depth]
const at = (offset) => [0, ...unsigned(offset)] // no alignment guaranteed
const load = (local, offset) => [...get(local), ...simd(0x00), ...at(offset)] // v128.load
const widen = (local, offset) => [...get(local), ...simd(0x01), ...at(offset)] // v128.load8x8_s: eight int8 values as int16
const store = [...simd(0x0b), ...at(0)]
const zeros = [...simd(0x0c), ...new Array(16).fill(0)]
const dot = simd(0xba) // i32x4.dot_i16x8_s: products, with neighbors added
const addLanes = simd(0xae) // i32x4.add
/** Picks four int32 lanes: 0–3 of the first operand, 4–7 of the second. */
const pick = (...lanes) => [...simd(0x0d), ...lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => lane * 4 + byte))]
const move = (local, ...value) => [...value.flat(), ...set(local)]

// dots(query, row, end, stride, out, length): multiplies the int16 query by `length` bytes of each int8 row from `row` up to `end`. It
// handles four rows at a time and so loads each piece of the query once for all four. The sums go to `out` as int32. Rows start `stride`
// bytes apart. `stride` and `length` are multiples of 16.
const [QUERY, ROW, END, STRIDE, OUT, LENGTH, Q, STOP] = [0, 1, 2, 3, 4, 5, 6, 7]
const POINTERS = [8, 9, 10, 11]
const [LOW, HIGH] = [12, 13]
const SUMS = [14, 15, 16, 17]

const dots = block(
  loop(
    get(ROW),
    get(END),
    notLessUnsigned,
    branchIf(1),
    move(Q, get(QUERY)),
    POINTERS.flatMap((pointer, i) => move(pointer, i === 0 ? get(ROW) : [get(pointer - 1), get(STRIDE), add].flat())),
    move(STOP, get(ROW), get(LENGTH), add),
    move(ROW, get(POINTERS[3]), get(STRIDE), add),
    SUMS.flatMap((sum) => move(sum, zeros)),
    loop(
      move(LOW, load(Q, 0)),
      move(HIGH, load(Q, 16)),
      SUMS.flatMap((sum, i) =>
        move(sum, get(sum), widen(POINTERS[i], 0), get(LOW), dot, addLanes, widen(POINTERS[i], 8), get(HIGH), dot, addLanes),
      ),
      move(Q, get(Q), number(32), add),
      POINTERS.flatMap((pointer) => move(pointer, get(pointer), number(16), add)),
      get(POINTERS[0]),
      get(STOP),
      lessUnsigned,
      branchIf(0),
    ),
    // Adds the lanes of each sum by transposing: [a0+a2, b0+b2, a1+a3, b1+b3], the same for c and d, then both halves.
    move(LOW, halves(SUMS[0], SUMS[1])),
    move(HIGH, halves(SUMS[2], SUMS[3])),
    get(OUT),
    get(LOW),
    get(HIGH),
    pick(0, 1, 4, 5),
    get(LOW),
    get(HIGH),
    pick(2, 3, 6, 7),
    addLanes,
    store,
    move(OUT, get(OUT), number(16), add),
    branch(0),
  ),
)

function halves(left, right) {
  const both = [get(left), get(right)].flat()
  return [...both, ...pick(0, 4, 1, 5), ...both, ...pick(2, 6, 3, 7), ...addLanes]
}

// rows(list, end, factors, sums, stop): for each address in `list` up to `end`, multiplies that int8 row by the float64 factor at the same
// index and adds it to the float64 sums from `sums` up to `stop`, eight columns at a time. It multiplies and adds in float64 and in row
// order, as plain code does, so results are identical to the last bit.
const [LIST, LIST_END, FACTORS, FIRST_SUM, LAST_SUM, WEIGHTS, SUM] = [0, 1, 2, 3, 4, 5, 6]
const [FACTOR, WORDS, QUADS] = [7, 8, 9]
const splat = (local) => [...get(local), ...simd(0x0a), ...at(0)] // v128.load64_splat
const loadNumber = (local) => [...get(local), 0x28, ...at(0)] // i32.load
const lowerQuads = simd(0xa7) // i32x4.extend_low_i16x8_s
const upperQuads = simd(0xa8) // i32x4.extend_high_i16x8_s
const lowerDoubles = simd(0xfe) // f64x2.convert_low_i32x4_s
const multiplyDoubles = simd(0xf2)
const addDoubles = simd(0xf0)

/** Adds two columns (the lower lanes of a value) to their sums. */
function addTwo(offset, ...lanes) {
  const product = [...lanes.flat(), ...lowerDoubles, ...get(FACTOR), ...multiplyDoubles]
  return [...get(SUM), ...load(SUM, offset), ...product, ...addDoubles, ...simd(0x0b), ...at(offset)]
}

function addFour(offset, extend) {
  return [
    move(QUADS, get(WORDS), extend),
    addTwo(offset, get(QUADS)),
    addTwo(offset + 16, get(QUADS), get(QUADS), pick(2, 3, 6, 7)),
  ].flat()
}

const rows = block(
  loop(
    get(LIST),
    get(LIST_END),
    notLessUnsigned,
    branchIf(1),
    move(WEIGHTS, loadNumber(LIST)),
    move(FACTOR, splat(FACTORS)),
    move(SUM, get(FIRST_SUM)),
    loop(
      move(WORDS, widen(WEIGHTS, 0)),
      addFour(0, lowerQuads),
      addFour(32, upperQuads),
      move(WEIGHTS, get(WEIGHTS), number(8), add),
      move(SUM, get(SUM), number(64), add),
      get(SUM),
      get(LAST_SUM),
      lessUnsigned,
      branchIf(0),
    ),
    move(LIST, get(LIST), number(4), add),
    move(FACTORS, get(FACTORS), number(8), add),
    branch(0),
  ),
)

const sources = {
  dots: sourceOf({
    constant: 'KERNEL_MODULE',
    exported: 'dots',
    parameters: 6,
    locals: [
      [6, I32],
      [6, V128],
    ],
    code: dots,
  }),
  rows: sourceOf({
    constant: 'ROW_SUMS_MODULE',
    exported: 'rows',
    parameters: 5,
    locals: [
      [2, I32],
      [3, V128],
    ],
    code: rows,
  }),
}

function sourceOf({ constant, exported, parameters, locals, code }) {
  const bytes = [
    ...Buffer.from('\0asm'),
    ...[1, 0, 0, 0],
    ...section(1, [[0x60, ...vector(new Array(parameters).fill([I32])), 0]]), // one type: several int32 parameters, no result
    ...section(2, [[...name('env'), ...name('memory'), 0x02, 0, 1]]), // imports the memory: at least one page
    ...section(3, [[0]]),
    ...section(7, [[...name(exported), 0x00, 0]]),
    ...section(10, [sized([...vector(locals), ...code, 0x0b])]),
  ]
  return `/** Generated by \`scripts/assemble-kernel.mjs\`. */
export const ${constant} =
  '${Buffer.from(bytes).toString('base64')}'
`
}

const printed = process.argv.indexOf('--print')
if (printed >= 0) process.stdout.write(sources[process.argv[printed + 1] ?? 'dots'])
else
  for (const [kernel, target] of Object.entries(TARGETS))
    writeFileSync(fileURLToPath(new URL(target, import.meta.url)), sources[kernel])
