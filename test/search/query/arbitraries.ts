import fc from 'fast-check'

const PIECES = [
  'a',
  'bc',
  'd*',
  ' ',
  ' ',
  '(',
  ')',
  '-',
  'OR',
  ' OR ',
  'AND',
  'NOT ',
  '"',
  '“',
  '”',
  '\\',
  '#',
  '#x',
  '#x/y',
  '=',
  '~',
  '~up',
  ':',
]
const MORE = [
  'title:',
  'path:',
  'tag:',
  'type:',
  'created:',
  'modified:>=',
  '<',
  'day-7',
  '2024-01',
  'has:',
  'links:',
  'linkedfrom:(',
  'folder:',
  'task:',
  'task:done',
  '>=',
  '3',
  'has:link',
  '|',
  '*',
  '/',
  '😀',
  '\ud800',
  '\n',
  '\u0000',
  '…',
  'é',
  '日本',
  'foo:',
]

/** Texts made of query syntax, or arbitrary ones. */
export const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...PIECES, ...MORE), { maxLength: 14 }).map((pieces) => pieces.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)

const TERMS = [
  'a',
  'b',
  'c',
  'a*',
  'b*',
  '"a b"',
  '"c"',
  '#t',
  '#t/u',
  '#k=1',
  '#k=',
  '#k>=2',
  '#k<10',
  '#k>2024-03',
  'links:a',
  'linkedfrom:b',
  'links:(a)',
  'linkedfrom:(#t OR b)',
  'linkedfrom:(linkedfrom:(#t) -a)',
  'links:(-links:(linkedfrom:(a OR b)))',
  'task:open',
  'task:any',
  '~up',
  '~up=b',
  'title:a',
  'title:b*',
  'title:"a b"',
  'path:p',
  'folder:p',
  'type:x',
  'created:2024',
  'modified:>=2024-03',
  'has:link',
  'has:tag',
]

/** Valid queries over the few names in the tests' small vaults. */
export const { query: anyQuery } = fc.letrec<{ query: string; factor: string; group: string }>((tie) => ({
  query: fc
    .array(tie('factor'), { minLength: 1, maxLength: 4 })
    .chain((factors) =>
      fc
        .array(fc.constantFrom(' ', ' ', ' OR ', ' AND '), { minLength: factors.length, maxLength: factors.length })
        .map((joints) => factors.map((factor, at) => (at === 0 ? factor : `${joints[at]}${factor}`)).join('')),
    ),
  factor: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...TERMS, ...TERMS.map((term) => `-${term}`)),
    tie('group'),
  ),
  group: fc.tuple(fc.constantFrom('(', '-('), tie('query')).map(([open, inner]) => `${open}${inner})`),
}))
