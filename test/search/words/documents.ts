import fc from 'fast-check'
import type { WordDocument } from './memory-pages.ts'

/** Words that differ from their stems in every way, compounds, and scripts that sort differently in UTF-8 and UTF-16. */
const vocabulary = [
  ...[
    'run',
    'runs',
    'running',
    'happy',
    'happily',
    'happiness',
    'file',
    'filing',
    'general',
    'generalizations',
    'ability',
    'able',
  ],
  ...['the', 'of', 'a', 'be', 'bee', 'size', 'sized', 'useEffect', 'foo_bar', 'node.js', 'c++', '.net', "don't", '2024-01-15'],
  ...[
    'v2.1',
    '3.14',
    'café',
    'Straße',
    'ёж',
    'йод',
    '黒猫が',
    '猫',
    '猫﨎𠀀',
    '𠀀',
    '﨎',
    '한국어',
    'ครับ',
    'การตั้งค่าปลั๊กอิน',
    'ការកំណត់កម្មវិធី',
    '𐐨𐐩',
    'x'.repeat(100),
    '—',
  ],
  ...[
    'Häuser',
    'Haus',
    'Häusern',
    'general',
    'generale',
    'talossa',
    'talo',
    'talot',
    'talossakin',
    'книга',
    'книгами',
    'книг',
    'σπίτι',
    'σπίτια',
  ],
]

export const word = fc.constantFrom(...vocabulary)
export const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '))

const fields = fc.record({
  title: fc.array(text, { maxLength: 3 }),
  headings: fc.array(text, { maxLength: 2 }),
  body: fc.array(text, { maxLength: 6 }).map((texts) => texts.join('\n')),
  tags: fc.array(word, { maxLength: 2 }),
  properties: fc.array(text, { maxLength: 1 }),
})

const language = fc.constantFrom(undefined, 'de', 'en', 'fi', 'it', 'ru', 'el', 'th')

/** Documents with different keys and languages, unordered. */
export const documents = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 60 }), fields, language), { maxLength: 20, selector: ([key]) => key })
  .map((list) => list.map(([key, content, written]): WordDocument => ({ key, stamp: 1, language: written, fields: content })))
