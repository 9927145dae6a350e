/**
 * Micromark constructs that CommonMark lacks: wikilinks and math.
 *
 * They run inside the same left-to-right tokenizer as code spans, HTML and escapes, so whichever starts first wins: a code span hides a
 * wikilink that starts in it, and a wikilink keeps the backticks, `<tags>` and `$` inside it.
 */

const DOLLAR = 36
const BANG = 33
const BACKSLASH = 92
const OPEN = 91
const CLOSE = 93

/** The text of the document being parsed; block math looks ahead in it for its end. */
let source = ''

/** @param {string} text */
export function setSource(text) {
  source = text
}

const isLineEnd = (code) => code !== null && code < -2
const isSpace = (code) => code === null || code < 0 || code === 32 || code === 160
const isDigit = (code) => code !== null && code >= 48 && code <= 57

const wikilink = { name: 'wikilink', tokenize: tokenizeWikilink }
const inlineMath = { name: 'inlineMath', tokenize: tokenizeInlineMath }
const blockMath = { name: 'blockMath', tokenize: tokenizeBlockMath, concrete: true }
const nextLine = { tokenize: tokenizeNextLine, partial: true }

/** The constructs, as a micromark extension. */
export const vaultSyntax = {
  flow: { [DOLLAR]: blockMath },
  text: { [BANG]: wikilink, [OPEN]: wikilink, [DOLLAR]: inlineMath },
}

/** Their nodes, as a mdast-util-from-markdown extension: `wikilink` with its source text, `math` without children. */
export const vaultNodes = {
  enter: {
    wikilink(token) {
      this.enter({ type: 'wikilink', value: this.sliceSerialize(token) }, token)
    },
    math(token) {
      this.enter({ type: 'math', children: [] }, token)
    },
  },
  exit: {
    wikilink(token) {
      this.exit(token)
    },
    math(token) {
      this.exit(token)
    },
  },
}

/** `[[content]]` or `![[content]]`: one line, not blank, no `[[` inside, up to the first `]]` (W15–W18). */
function tokenizeWikilink(effects, ok, nok) {
  let previous = OPEN
  let solid = 0
  return start

  function start(code) {
    effects.enter('wikilink')
    if (code !== BANG) return first(code)
    effects.consume(code)
    return first
  }

  function first(code) {
    if (code !== OPEN) return nok(code)
    effects.consume(code)
    return second
  }

  function second(code) {
    if (code !== OPEN) return nok(code)
    effects.consume(code)
    return content
  }

  function content(code) {
    if (code === null || isLineEnd(code)) return nok(code)
    // `[[[a]]]`: the inner pair is the link.
    if (code === OPEN && previous === OPEN) return nok(code)
    if (code === CLOSE && previous === CLOSE) {
      // The first of the two closing brackets is already counted.
      if (solid < 2) return nok(code)
      effects.consume(code)
      effects.exit('wikilink')
      return ok
    }
    if (!isSpace(code)) solid += 1
    previous = code
    effects.consume(code)
    return content
  }
}

/**
 * `$x$` within one paragraph: no space after the opening mark, none before the closing one, no digit after that one; `$$x$$` without these
 * conditions. A `$` inside a wikilink does not close it (W22).
 */
function tokenizeInlineMath(effects, ok, nok) {
  const inner = { tokenize: tokenizeWikilink, partial: true }
  let double = false
  let previous = DOLLAR
  return start

  function start(code) {
    effects.enter('math')
    effects.consume(code)
    return opened
  }

  function opened(code) {
    if (code === DOLLAR) {
      double = true
      effects.consume(code)
      previous = null
      return body
    }
    return isSpace(code) ? nok(code) : body(code)
  }

  function body(code) {
    if (code === null) return nok(code)
    if (isLineEnd(code)) {
      effects.enter('lineEnding')
      effects.consume(code)
      effects.exit('lineEnding')
      previous = 32
      return body
    }
    if (code === OPEN) return effects.attempt(inner, afterInner, plain)(code)
    if (code === DOLLAR) {
      effects.consume(code)
      return double ? closingDouble : closingSingle
    }
    return plain(code)
  }

  function afterInner(code) {
    previous = CLOSE
    return body(code)
  }

  function plain(code) {
    effects.consume(code)
    previous = code
    return code === BACKSLASH ? escaped : body
  }

  function escaped(code) {
    if (code === null || isLineEnd(code)) return body(code)
    effects.consume(code)
    previous = 0
    return body
  }

  function closingSingle(code) {
    if (!isSpace(previous) && !isDigit(code) && code !== DOLLAR) return close(code)
    previous = DOLLAR
    return body(code)
  }

  function closingDouble(code) {
    if (code !== DOLLAR) return body(code)
    effects.consume(code)
    return close
  }

  function close(code) {
    effects.exit('math')
    return ok(code)
  }
}

/** `$$` at the start of a line, up to the line with the next `$$`; without a next one it is text. */
function tokenizeBlockMath(effects, ok, nok) {
  const self = this
  let previous = null
  let closed = false
  return start

  function start(code) {
    if (!opensBlock(self.now().offset)) return nok(code)
    effects.enter('math')
    effects.consume(code)
    return second
  }

  function second(code) {
    effects.consume(code)
    return line
  }

  function line(code) {
    if (code === null) return done(code)
    if (isLineEnd(code)) return closed ? done(code) : effects.attempt(nextLine, lineStart, done)(code)
    if (code === DOLLAR && previous === DOLLAR) closed = true
    previous = code
    effects.consume(code)
    return line
  }

  function lineStart(code) {
    previous = null
    return line(code)
  }

  function done(code) {
    effects.exit('math')
    return ok(code)
  }
}

function opensBlock(offset) {
  if (source.slice(offset, offset + 2) !== '$$') return false
  const end = source.indexOf('$$', offset + 2)
  const lineEnd = source.indexOf('\n', offset)
  // `$$x$$` on one line is inline math.
  return end > lineEnd && lineEnd !== -1
}

/** Consumes a line ending unless the next line is a lazy continuation, which cannot belong to a math block. */
function tokenizeNextLine(effects, ok, nok) {
  const self = this
  return start

  function start(code) {
    if (code === null) return nok(code)
    effects.enter('lineEnding')
    effects.consume(code)
    effects.exit('lineEnding')
    return atLineStart
  }

  function atLineStart(code) {
    return self.parser.lazy[self.now().line] ? nok(code) : ok(code)
  }
}
