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
