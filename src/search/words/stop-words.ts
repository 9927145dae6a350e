const list = (text: string): string[] => text.trim().split(/\s+/)

/**
 * English function words, as the analysis writes them (contractions without their apostrophe): articles, pronouns,
 * prepositions, conjunctions, auxiliaries, question words, and the adverbs that only link. They are indexed, because phrases
 * contain them, but a query drops them unless it has no other word.
 */
const STOP_WORDS: ReadonlySet<string> = new Set([
  ...list('a an the this that these those such same other another each every either neither both all any some no none'),
  ...list('i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers'),
  ...list('herself it its itself they them their theirs themselves one ones'),
  ...list('who whom whose which what when where why how whether'),
  ...list('and or but nor so yet if then else than because as while although though unless until since'),
  ...list('of in on at by to from for with without within into onto upon about above below under over between among through'),
  ...list('during before after against toward towards via per up down out off'),
  ...list('am is are was were be been being do does did doing done have has had having'),
  ...list('can could may might must shall should will would'),
  ...list('not only very too also just more most much many few own again further once here there now ever'),
  ...list('dont doesnt didnt isnt arent wasnt werent wont wouldnt cant cannot couldnt shouldnt havent hasnt hadnt'),
])

/** Whether an analysed form is an English function word. */
export function isStopWord(form: string): boolean {
  return STOP_WORDS.has(form)
}
