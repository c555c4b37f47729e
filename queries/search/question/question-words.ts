import { wordSet } from '../../../domain/text/words.ts';
import { type TypedWord, wordAt } from './typed-words.ts';

const OPENINGS = wordSet(`
  what which who whom whose when where why how is are was were do does did will has have had can could should would
  tell show find list give any anything everything
`);
/** Words of a question that say nothing about an item. */
const FILLERS = wordSet(`
  tell show find give know want wants please could would might shall much many anything everything something
  decide decides decided deciding discuss discusses discussed discussing consider considers considered
  happen happens happened happening going become becomes became get gets got getting say says said talk talking
  come comes coming look looking item items agenda agendas meeting meetings there us let about currently
`);
/** Words that are fillers before one of `AFTER_VERB` or at the end. */
const VERBS = wordSet('vote votes voted voting list take takes took taking make makes made do doing done think');
const AFTER_VERB = new Set(['', 'on', 'about', 'for', 'against', 'up', 'all', 'me', 'with']);
/** Words that are fillers in "how much does … pay for". */
const COST = wordSet('pay pays paid paying cost costs spend spends spent spending charge charges');

const isQuestion = (words: readonly TypedWord[], text: string): boolean =>
  OPENINGS.has(wordAt(words, 0)) || text.trimEnd().endsWith('?');

/** Returns the words of a question that are not searched. */
export function fillerWords(words: readonly TypedWord[], text: string): readonly TypedWord[] {
  if (!isQuestion(words, text)) return [];
  const isAboutCost = words.some(({ word }, at) => word === 'how' && wordAt(words, at + 1) === 'much');
  return words.filter(
    ({ word }, at) =>
      FILLERS.has(word) ||
      (VERBS.has(word) && AFTER_VERB.has(wordAt(words, at + 1))) ||
      (isAboutCost && COST.has(word)),
  );
}
