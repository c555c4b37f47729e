import { anyOf, anyWord } from '../../../domain/text/patterns.ts';
/** Maximum characters of a name that are read. */
const MAX_NAME = 200;

const UNWANTED = anyOf(
  'to be (?:removed|deleted)',
  "(?:do not|don['’]?t) use",
  'not for (?:public )?use',
  '(?:remove|delete) (?:this|me)',
);
/** "TO BE REMOVED", "DO NOT USE - Library Board". */
const NO_LONGER_WANTED = new RegExp(String.raw`\b${UNWANTED}\b`, 'i');
const MARK = '(?:deleted?|removed?|void|test)';
/** A mark before or after a name: "DELETE - Library Board", "Library Board (test)". */
const MARKED = new RegExp(String.raw`^[\s([*-]*${MARK}\s*(?:$|[)\]*:–—-])|[-–—([*:]\s*${MARK}[\s)\]*]*$`, 'i');
const KINDS_OF_BODIES = anyWord('body board committee commission council department group meeting agenda only');
const TEST_WORDS = String.raw`(?:z{2,}[\s_-]*)?(?:test(?:ing)?|dummy)`;
/** "TEST", "Test Committee 2", "zzTest". */
const TEST = new RegExp(String.raw`^${TEST_WORDS}(?:[\s_-]+${KINDS_OF_BODIES})?[\s#\d]*$`, 'i');
const ENDED = '(?:obsolete|defunct|inactive|disbanded)';
/** Names that are moved to the end of the list, or marked as those of former bodies: "zz Library Board". Their meetings took place. */
const FORMER = new RegExp(
  [
    String.raw`^z{2,}(?:[\s_.:–—-]|(?=[A-Z])|$)`,
    String.raw`^[\s([*-]*${ENDED}\s*[)\]*:–—-]`,
    String.raw`[-–—([*:]\s*${ENDED}[\s)\]*]*$`,
  ].join('|'),
);

/** Returns `hidden` if the name marks a body that is not public, and `former` if it marks one that no longer meets. */
export function standingOf(bodyName: string): 'hidden' | 'former' | 'present' {
  const name = bodyName.slice(0, MAX_NAME);
  if ([NO_LONGER_WANTED, MARKED, TEST].some((rule) => rule.test(name))) return 'hidden';
  return FORMER.test(name) || FORMER.test(name.toLowerCase()) ? 'former' : 'present';
}
