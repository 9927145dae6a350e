import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forgetJoinedWords } from '../../../src/search/words/joined-word.ts'
import { analyze, scanWords } from '../../../src/search/words/scan.ts'

/** Words with their positions unless consecutive; parts after `+`, stem endings after `~`. */
function show(text: string): string {
  return analyze(text)
    .map(({ form, kind }) => `${kind === 'part' ? '+' : kind === 'tail' ? '~' : ' '}${form}`)
    .join('')
    .trim()
}

const cases: readonly (readonly [what: string, text: string, words: string])[] = [
  ['case and punctuation', 'Hello, World! (yes)', 'hello world yes'],
  ['Markdown marks are no words', '# **Bold** _it_ [[a|b]] `code` ==x== - [ ] y', 'bold it a b code x y'],
  ['accents', 'Café naïve Ångström Straße Œuvre Łódź', 'cafe naive angstrom strasse oeuvre lodz'],
  ['decomposed accents', 'cafe\u0301', 'cafe'],
  ['Greek and Cyrillic', 'Άλφα λόγος ёлка йод', 'αλφα λογοσ елка йод'],
  ['compatibility forms', 'ﬁne Ａｂ１ x²', 'fine ab1 x2'],
  ['invisible characters', 'co\u00adoperate', 'cooperate'],
  ['contractions', "don't I'll they’re", 'dont i they'],
  ['possessives', "the dog's, James' cat", 'the dog james cat'],
  ['elisions', "l'eau d’accord qu'il O'Reilly", 'l eau d accord qu il o reilly'],
  ['camel case', 'useEffect HTMLElement GitHub', 'useeffect+use+effect htmlelement+html+element github+git+hub'],
  ['parts of one letter are none', 'iPhone mRNA URLs PhD', 'iphone+phone mrna+rna urls phd'],
  ['snake case', 'foo_bar __init__ MAX_SIZE', 'foo_bar+foo+bar init max_size+max+size'],
  ['camel case in joined names', 'myModule.useThing', 'mymodule.usething+mymodule+my+module+usething+use+thing'],
  ['names with dots', 'Node.js, www.example.com.', 'node.js+node+js www.example.com+www+example+com'],
  ['names that begin with a dot', 'ASP .NET (.gitignore) ...and', 'asp .net+net .gitignore+gitignore and'],
  ['symbols', 'C++ C# F#, notepad++ a+b #tag a#b', 'c++ c# f# notepad++ +notepad a b tag a b'.replace(' +', '+')],
  ['addresses', 'jane.doe@example.org', 'jane.doe@example.org+jane+doe+example+org'],
  ['URLs', 'https://example.org/some-path?q=1', 'https example.org+example+org some path q 1'],
  ['abbreviations', 'e.g. U.S.A. i.e.', 'eg usa ie'],
  ['numbers', '3.14 1,000,000 1,2,3 10,5 192.168.0.1', '3.14 1000000 1 2 3 10 5 192.168.0.1'],
  ['versions', 'v2.1 v10', 'v2.1+2.1 v10'],
  ['dates', '2024-01-15 2024-01 2024-1 12-34', '2024-01-15+2024+01+15 2024-01+2024+01 2024 1 12 34'],
  ['hyphens part', 'state-of-the-art e-mail', 'state of the art e mail'],
  ['Chinese', '黒猫が', '黒猫 猫が~が'],
  ['a lone character', '猫 a', '猫 a'],
  ['Korean', '한국어 책', '한국 국어~어 책'],
  ['decomposed Korean, as macOS writes names', '한국어 값이'.normalize('NFD'), '한국 국어~어 값이~이'],
  ['half-width kana', 'ｶﾞｷﾞ', 'ガギ~ギ'],
  ['Thai', 'การตั้งค่าปลั๊กอินของชุมชน 2 ครับ', 'การ ตั้ง ค่า ปลั๊กอิน ของ ชุมชน 2 ครับ'],
  ['Khmer', 'ការកំណត់កម្មវិធីជំនួយ', 'ការកំណត់ កម្មវិធី ជំនួយ'],
  ['Lao', 'ພາສາລາວ', 'ພາສາ ລາວ'],
  ['Burmese', 'စကားဖြင့်ရေးသားသည်', 'စကား ဖြင့် ရေးသား သည်'],
  ['a soft hyphen in Thai', 'ภา\u00adษา', 'ภาษา'],
  ['scripts side by side', 'tokyo東京tower', 'tokyo 東京~京 tower'],
  ['Devanagari', 'मराठी भाषा', 'मराठी भाषा'],
  ['astral letters', '𐐀𐐁', '𐐨𐐩'],
  ['lone surrogates', 'a\ud800b', 'a b'],
  ['nothing, emoji neither', ' \n— 🗂️ 👩‍👩‍👧 \u0301', ''],
]

describe('the words of a text', () => {
  test.each(cases)('%s', (_, text, words) => {
    expect(show(text)).toBe(words)
  })

  test('have offsets in the original text', () => {
    const text = "The dog's useEffect, 1,000 ｶﾞｷﾞ"
    const written = analyze(text).map(({ start, end }) => text.slice(start, end))
    expect(written).toEqual(['The', "dog's", 'useEffect', 'useEffect', 'useEffect', '1,000', 'ｶﾞｷﾞ', 'ｷﾞ'])
  })

  test('have positions that count words, not parts', () => {
    expect(analyze('a foo_bar 黒猫が b').map(({ position }) => position)).toEqual([0, 1, 1, 1, 2, 3, 4, 5])
  })

  test('have Porter stems if they are plain English', () => {
    const stems = analyze('running happily abilities foo_bars cafés ёлки').map(({ stem }) => stem)
    expect(stems).toEqual(['run', 'happili', 'abil', 'foo_bars', 'foo', 'bar', 'cafe', 'елки'])
  })

  test('are marked if they are function words', () => {
    const marked = analyze("The cat doesn't sit on it").filter(({ isStopWord }) => isStopWord)
    expect(marked.map(({ form }) => form)).toEqual(['the', 'doesnt', 'on', 'it'])
  })
})

test('a compound gives the same words anywhere and however often it occurs', () => {
  const part = fc.constantFrom(
    'a',
    'Ab',
    'gitHub',
    'iOS',
    'HTMLElement',
    'v2',
    '1',
    '12',
    '123',
    '2024',
    's',
    'll',
    'l',
    'é',
    '猫',
    'x'.repeat(60),
  )
  const join = fc.constantFrom('.', '..', '_', '@', "'", '’', ',', '-', '+', '++', '#', '/', '')
  const words = fc.array(fc.array(fc.tuple(join, part), { minLength: 1, maxLength: 5 }), { maxLength: 4 })
  fc.assert(
    fc.property(words, fc.constantFrom('', '.', ',', '++', '-01'), (list, after) => {
      const text = list.map((pairs) => `${pairs.flat().join('')}${after} `).join('')
      forgetJoinedWords()
      const first = analyze(text)
      expect(analyze(text)).toEqual(first)
      // Text before a non-ASCII space is never cached, so this call computes the result anew.
      expect(analyze(text.replaceAll(' ', '\u3000'))).toEqual(first)
    }),
  )
})

describe('hostile text', () => {
  const large = 1 << 20
  test.each([
    ['one word', 'x'.repeat(large), 1],
    ['one word in capitals and small letters', 'aB'.repeat(large / 2), 1],
    ['one accented word', 'é'.repeat(large), 1],
    ['marks alone', '\u0301'.repeat(large), 0],
    ['apostrophes', "a1'".repeat(large / 3), undefined],
    ['joined pieces', 'ab.'.repeat(large / 3), undefined],
    ['thousands', '123,'.repeat(large / 4), undefined],
    ['unspaced characters', '猫'.repeat(large), large],
    ['one Thai word again and again', 'ปลั๊กอิน'.repeat(large / 8), undefined],
    ['a Thai base and its marks', `ก${'\u0e34'.repeat(large)}`, 1],
    ['a base and its marks', `क${'\u093c'.repeat(large)}`, 1],
    ['dashes', '2024-'.repeat(large / 5), undefined],
  ])('%s: limits the length and number of words', (_, text, count) => {
    let longest = 0
    let found = 0
    scanWords(text, (form) => {
      found++
      longest = Math.max(longest, form.length)
    })
    expect(longest).toBeLessThanOrEqual(64)
    if (count !== undefined) expect(found).toBe(count)
  })
})
