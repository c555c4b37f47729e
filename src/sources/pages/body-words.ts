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
/** Words that name no body without the next word. */
const VAGUE = new Set([
  'other',
  'misc',
  'miscellaneous',
  'various',
  'all',
  'past',
  'prior',
  'old',
  'archived',
  'special',
  'regular',
  'public',
  'joint',
]);

/** Returns the name of the body of a list of papers: "Commissioners Court" for "Commissioners Court Meeting Agendas". */
export function bodyOfPapers(list: string): string {
  const words = list.split(/\s+/);
  const isLast = (of: ReadonlySet<string>) => words.length > 1 && of.has(words.at(-1)!.toLowerCase());
  const length = words.length;
  while (isLast(PAPERS)) words.pop();
  if (words.length < length && isLast(MEETINGS)) words.pop();
  return words.length === 1 && VAGUE.has(words[0]!.toLowerCase()) ? list : words.join(' ');
}
