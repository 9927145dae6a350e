import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readPeriod } from '../../../src/search/query/compare-values.ts'
import { parseQuery } from '../../../src/search/query/parse-query.ts'

const zone = process.env.TZ
beforeEach(() => {
  // Clocks go forward on 31 March 2024 at 2:00 and back on 27 October at 3:00.
  process.env.TZ = 'Europe/Berlin'
})
afterEach(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

/** This day is a Wednesday. */
const now = (): Date => new Date('2024-05-15T08:30:00Z')

describe('a date is a period in the local time zone', () => {
  test.each([
    ['2024', '2023-12-31T23:00', '2024-12-31T23:00'],
    ['2024-01', '2023-12-31T23:00', '2024-01-31T23:00'],
    ['2024-12', '2024-11-30T23:00', '2024-12-31T23:00'],
    ['2024-02-29', '2024-02-28T23:00', '2024-02-29T23:00'],
    ['2024-03-31', '2024-03-30T23:00', '2024-03-31T22:00'],
    ['2024-10-27', '2024-10-26T22:00', '2024-10-27T23:00'],
    ['2024-01-31T12:30', '2024-01-31T11:30', '2024-01-31T11:31'],
    ['2024-01-31T12:30:15', '2024-01-31T11:30:15', '2024-01-31T11:30:16'],
    ['2024-01-31T12:30:15.250', '2024-01-31T11:30:15.250', '2024-01-31T11:30:15.251'],
    ['2024-01-31T12:30Z', '2024-01-31T12:30', '2024-01-31T12:31'],
    ['2024-01-31T00:30+02:00', '2024-01-30T22:30', '2024-01-30T22:31'],
    ['2024-01-31T23:30-0530', '2024-02-01T05:00', '2024-02-01T05:01'],
    ['2024-01-31t23:30:00-05', '2024-02-01T04:30', '2024-02-01T04:30:01'],
    ['day', '2024-05-14T22:00', '2024-05-15T22:00'],
    ['day-7', '2024-05-07T22:00', '2024-05-08T22:00'],
    ['DAY+1', '2024-05-15T22:00', '2024-05-16T22:00'],
    ['day-60', '2024-03-15T23:00', '2024-03-16T23:00'],
    ['week', '2024-05-12T22:00', '2024-05-19T22:00'],
    ['week-2', '2024-04-28T22:00', '2024-05-05T22:00'],
    ['month-1', '2024-03-31T22:00', '2024-04-30T22:00'],
    ['month-5', '2023-11-30T23:00', '2023-12-31T23:00'],
    ['year-1', '2022-12-31T23:00', '2023-12-31T23:00'],
  ])('%s', (text, from, to) => {
    expect(readPeriod(text, now())).toEqual({ from: Date.parse(`${from}Z`), to: Date.parse(`${to}Z`) })
  })

  test('a Sunday belongs to the preceding week', () => {
    expect(readPeriod('week', new Date('2024-05-19T12:00:00Z'))?.from).toBe(Date.parse('2024-05-12T22:00Z'))
  })

  test('a two-digit year is in the first century', () => {
    expect(readPeriod('0050-01-01T00:00Z', now())?.from).toBe(Date.parse('0050-01-01T00:00Z'))
    expect(new Date(readPeriod('0050', now())?.from ?? 0).getFullYear()).toBe(50)
  })

  test.each([
    ...['', '24', '2024-', '2024-0', '2024-00', '2024-13', '2024-1-1', '2024-02-30', '2023-02-29', '2024-04-31', '2024-01-00'],
    ...[
      '2024-01-01T',
      '2024-01-01T12',
      '2024-01-01T24:00',
      '2024-01-01T12:60',
      '2024-01-01T12:30+24:00',
      '2024-01-01T12:30+02:60',
    ],
    ...['2024-01Z', '20240101', '2024/01/01', 'today', 'day7', 'day-', 'day--1', 'day-123456', 'days-1', '2024..2025', '٢٠٢٤'],
  ])('rejects "%s"', (text) => {
    expect(readPeriod(text, now())).toBeUndefined()
  })
})

describe('a comparison', () => {
  test.each([
    ['created:2024-01-31', '2024-01-30T23:00Z', '2024-01-31T23:00Z'],
    ['created:=2024-01-31', '2024-01-30T23:00Z', '2024-01-31T23:00Z'],
    ['created:>2024-01-31', '2024-01-31T23:00Z', Number.POSITIVE_INFINITY],
    ['created:>=2024-01-31', '2024-01-30T23:00Z', Number.POSITIVE_INFINITY],
    ['created:<2024-01-31', Number.NEGATIVE_INFINITY, '2024-01-30T23:00Z'],
    ['created:<=2024-01-31', Number.NEGATIVE_INFINITY, '2024-01-31T23:00Z'],
  ])('%s', (query, from, to) => {
    const ms = (time: string | number) => (typeof time === 'number' ? time : Date.parse(time))
    expect(parseQuery(query, now())).toMatchObject({ kind: 'time', field: 'created', from: ms(from), to: ms(to) })
  })
})
