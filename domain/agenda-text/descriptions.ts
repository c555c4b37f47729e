import { anyOf } from '../text/patterns.ts';
import { isStepOrSection } from './agenda-words.ts';

/** Characters in which the name of a step or a section ends. */
const MAX_NAME = 100;

/** Words that explain a section or a step to the public. */
const EXPLAINING = new RegExp(
  String.raw`\b${anyOf(
    '(?:is|are) considered (?:to be )?(?:routine|self-explanatory)',
    'routine (?:(?:in )?nature|by the|and)',
    '(?:enacted|approved|acted (?:up)?on|considered|adopted|passed) (?:by|with|in) (?:one|a single|a) (?:motion|vote)',
    'no separate discussion',
    'speakers? (?:is|are|will|must|may|shall|who|should)',
    '(?:limited|limit) to (?:\\w+ )?(?:\\(?\\d{1,2}\\)? )?minutes',
    '(?:may|to|can) (?:speak|address|be heard)\\b',
    'wish(?:es|ing)? to (?:speak|address)',
    '(?:at this time|this time is|this is (?:the|an) (?:time|opportunity)|this portion of|purpose of this item)',
    'no (?:formal )?(?:action|discussion|deliberation)s? (?:or \\w+ )?(?:can|may|will|shall)',
    '(?:may elect|reserves the right) to (?:go|convene|recess|retire|adjourn|meet)',
    '(?:must|should) sign (?:in|up)',
    'open meetings act',
  )}`,
  'i',
);
/** The name before a colon, a dash or the first sentence. */
const NAME = /^[^:.–—]{3,100}?(?=\s?[:.–—]\s|\s-\s)/u;
const NAME_IN_CAPITALS = /^(?:[\p{Lu}\d&/’',()-]+\s+){1,12}(?=\p{Lu}?\p{Ll}+\s\p{Ll})/u;

/** "Citizen Comments: Each speaker is limited to three minutes." is titled "Citizen Comments". */
export function withoutDescription(title: string): string {
  const beginning = title.slice(0, MAX_NAME + 20);
  for (const pattern of [NAME, NAME_IN_CAPITALS]) {
    const name = pattern.exec(beginning)?.[0].trim();
    if (name === undefined || !isStepOrSection(name)) continue;
    const rest = title.slice(name.length);
    if (EXPLAINING.test(rest.slice(0, 600))) return name;
  }
  return title;
}
