import { describe, expect, test } from 'vitest'
import { parseQuery } from '../../../src/search/query/parse-query.ts'
import { show } from './show.ts'

const now = new Date(2024, 4, 15, 10, 30)

const CASES: readonly (readonly [query: string, shown: string])[] = [
  ['', 'all'],
  [' \t\n\u00a0', 'all'],
  ['coffee', 'word coffee'],
  ['Straße 日本語 café', 'and(word Straße, word 日本語, word café)'],
  ['"light roast"', 'phrase light roast'],
  ['“light roast” „dark“ “x"', 'and(phrase light roast, phrase dark, phrase x)'],
  ['"say \\"no\\" in C:\\temp\\\\"', 'phrase say "no" in C:\\temp\\'],
  ['"it’s “so”"', 'phrase it’s “so”'],
  ['roast*', 'prefix roast'],
  ['a"b c"d', 'and(word a, phrase b c, word d)'],

  ['a b OR c d', 'or(and(word a, word b), and(word c, word d))'],
  ['a (b OR c) d', 'and(word a, or(word b, word c), word d)'],
  ['(a b) (c (d))', 'and(word a, word b, word c, word d)'],
  ['a OR (b OR c)', 'or(word a, word b, word c)'],
  ['a AND b', 'and(word a, word b)'],
  ['a and b or not c', 'and(word a, word and, word b, word or, word not, word c)'],
  ['-a', 'not(word a)'],
  ['NOT a b', 'and(not(word a), word b)'],
  ['-(a OR b) -"c d" -#e -title:f', 'and(not(or(word a, word b)), not(phrase c d), not(tag e), not(title word f))'],
  ['-(-a)', 'not(not(word a))'],
  ['NOT (a b)', 'not(and(word a, word b))'],
  ['f(x)', 'and(word f, word x)'],
  ['OR*', 'prefix OR'],

  ['#coffee #a/b-c_d #日本語 #🗂️hub', 'and(tag coffee, tag a/b-c_d, tag 日本語, tag 🗂️hub)'],
  ['#a/ tag:b tag:#c tag:"d" #y1984', 'and(tag a, tag b, tag c, tag d, tag y1984)'],
  ['#status=done #status="in progress"', 'and(property status = <done>, property status = <in progress>)'],
  ['#status= #status=""', 'and(property status, property status = <>)'],
  ['#"due date"=2024 #1984=x #a=b=c', 'and(property due date = <2024>, property 1984 = <x>, property a = <b=c>)'],
  ['~up ~up=Home ~"part of"="My Home"', 'and(relation up, relation up = <Home>, relation part of = <My Home>)'],

  ['#rating>=4 #due<2024-05 #1984>3', 'and(#rating>=4, #due<2024-05, #1984>3)'],
  ['#"due date"<="2024-05-01T12:30" #a>-1.5 #a<day-7', 'and(#"due date"<="2024-05-01T12:30", #a>-1.5, #a<day-7)'],
  ['links:Home LinkedFrom:"My Home"', 'and(links:Home, linkedfrom:"My Home")'],
  ['links:[[My Home]] -LinkedFrom:[[Home#Door|the door]]', 'and(links:"My Home", not(linkedfrom:Home))'],
  ['links:"[[My Home]]" -LinkedFrom:"[[Home#Door|the door]]"', 'and(links:"My Home", not(linkedfrom:Home))'],
  ['~up=[[My Home]] [[My Home]]', 'and(relation up = <My Home>, word [[My, word Home]])'],
  ['links:(#moc) -LinkedFrom:( a OR "b c" )', 'and(links:(#moc), not(linkedfrom:(a OR "b c")))'],
  ['linkedfrom:(links:(linkedfrom:(a b)))', 'linkedfrom:(links:(linkedfrom:(a b)))'],
  ['links:((links:Home))', 'links:(links:Home)'],
  ['links:(a)b folder:"/Daily notes/" folder:x/y', 'and(links:(a), word b, folder:"Daily notes", folder:x/y)'],
  ['task:open TASK:Done task:any', 'and(task:open, task:done, task:any)'],

  ['title:foo Title:"a b" TITLE:fo*', 'and(title word foo, title phrase a b, title prefix fo)'],
  ['path:a/b path:"Daily notes" type:person', 'and(path a/b, path Daily notes, type:person)'],
  ['has:attachment HAS:Alias', 'and(has:attachment, has:alias)'],
  ['modified:day-7 modified:=day-7', 'and(modified:day-7, modified:=day-7)'],
  ['created:2024 dateModified:>=day-7 modified:=2024-01', 'and(created:2024, modified:>=day-7, modified:2024-01)'],
  ['modified:<"2024-01-31"', 'modified:<2024-01-31'],

  ['12:30 http://x.y/z?a=b todo: x:y', 'and(word 12:30, word http://x.y/z?a=b, word todo:, word x:y)'],
  ['C:\\notes std::vector title::x c++:d', 'and(word C:\\notes, word std::vector, word title::x, word c++:d)'],
  ['well-known C# c++ a#b AT&T', 'and(word well-known, word C#, word c++, word a#b, word AT&T)'],
  ['salt & pepper …', 'and(word salt, word pepper)'],
  ['pizza 🍕 👩‍👩‍👧 🗂️ 🎉!', 'word pizza'],
  ['#🎉=done ~📅', 'and(property 🎉 = <done>, relation 📅)'],
  ['"pizza 🍕" 🍕-pie', 'and(phrase pizza 🍕, word 🍕-pie)'],
  ['"OR" "-a"', 'and(phrase OR, phrase -a)'],
]

describe('a query', () => {
  test.each(CASES)('%s', (query, shown) => {
    expect(show(parseQuery(query, now))).toBe(shown)
  })

  test('records the positions of its conditions', () => {
    const query = parseQuery(' a -("b c" OR #d)', now)
    expect(query).toMatchObject({
      kind: 'and',
      span: { start: 1, end: 17 },
      parts: [
        { span: { start: 1, end: 2 } },
        {
          span: { start: 3, end: 17 },
          part: {
            kind: 'or',
            span: { start: 4, end: 17 },
            parts: [{ span: { start: 5, end: 10 } }, { span: { start: 14, end: 16 } }],
          },
        },
      ],
    })
  })

  test('may be long', () => {
    const words = parseQuery('word '.repeat(64_000), now)
    expect(words).toMatchObject({ kind: 'and', parts: { length: 64_000 } })
    const operators = parseQuery(`a${' OR -(b c)'.repeat(10_000)}`, now)
    expect(operators).toMatchObject({ kind: 'or', parts: { length: 10_001 } })
    const word = 'x'.repeat(1 << 20)
    for (const query of [word, `"${word}"`, `${word}*`, `#${word}`, `#k=${word}`, `~${word}`, `title:${word}`, `path:${word}`])
      expect(parseQuery(query, now).kind).not.toBe('all')
  })

  test('may nest groups 50 deep', () => {
    expect(show(parseQuery(`${'('.repeat(50)}a${')'.repeat(50)}`, now))).toBe('word a')
    expect(show(parseQuery('(a) '.repeat(60), now))).toMatch(/^and\(word a, /)
  })
})
