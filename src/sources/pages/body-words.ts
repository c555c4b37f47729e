/** Words around the name of a body that name a kind of meeting or of paper. */
const OTHER_WORDS = new Set(
  `agenda agendas minutes packet packets archive archives video videos recording recordings meeting meetings regular special called emergency joint
  work workshop workshops worksession study session sessions budget retreat executive closed public hearing hearings of and the on demand all recent
  latest past live canceled cancelled & - – — / |`.split(/\s+/),
);

/** Returns the name of a body in the title of a list or of a meeting, "City Council" in "Special City Council Meeting"; null if no word is left. */
export function bodyInTitle(title: string): string | null {
  const words = title.slice(0, 300).split(/\s+/).filter(Boolean);
  const isOther = (word: string | undefined) => word !== undefined && OTHER_WORDS.has(word.toLowerCase());
  let [from, to] = [0, words.length];
  while (from < to && isOther(words[from])) from += 1;
  while (to > from && isOther(words[to - 1])) to -= 1;
  return from === to
    ? null
    : words
        .slice(from, to)
        .join(' ')
        .replace(/[,:;–—-]$/, '');
}

const PAPERS = new Set(['agenda', 'agendas', 'minutes', 'packet', 'packets', '&', 'and', '/', '-', '–']);
const MEETINGS = new Set(['meeting', 'meetings']);
/** Words of lists that name no body: "General", "Other Agendas", "Public Meetings". */
const VAGUE = new Set(
  `other misc miscellaneous various general all past prior old archive archived archives special regular public joint
  upcoming current documents files news notices`.split(/\s+/),
);
/** Words that name a kind of body. */
const BODIES = new Set(
  `council board commission committee court authority corporation trustees directors selectmen supervisors commissioners
  agency panel task`.split(/\s+/),
);

const isVague = (word: string): boolean => [PAPERS, MEETINGS, VAGUE].some((words) => words.has(word.toLowerCase()));

/**
 * Returns the name of the body of a list of papers: "Commissioners Court" for "Commissioners Court Meeting Agendas".
 * Null for a list that names no body, such as "General".
 */
export function bodyOfPapers(list: string): string | null {
  const words = list.split(/\s+/);
  if (words.every(isVague)) return null;
  const isLast = (of: ReadonlySet<string>) => words.length > 1 && of.has(words.at(-1)!.toLowerCase());
  const length = words.length;
  while (isLast(PAPERS)) words.pop();
  if (words.length < length && isLast(MEETINGS)) words.pop();
  return words.join(' ');
}

/** True for a name that fits several bodies: "General", "Commission". */
export function isGenericBody(name: string): boolean {
  const words = name.split(/\s+/);
  return words.every(isVague) || (words.length === 1 && BODIES.has(name.toLowerCase()));
}

/** Returns the body that the title of a meeting names by a word such as "Council" or "Board"; null without one. */
export function bodyOfTitle(title: string): string | null {
  const name = bodyInTitle(title);
  const words = name?.toLowerCase().split(/[^\p{L}]+/u) ?? [];
  return words.some((word) => BODIES.has(word)) ? name : null;
}
