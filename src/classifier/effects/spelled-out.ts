const GROUP = /\(\?i:|\((?:\?(?:<?[=!]|:|<\w+>))?/y;
const ESCAPE = /\\(?:[pP]\{[^}]+\}|u\{[^}]+\}|.)/y;
const CLASS = /\[(?:\\.|[^\]\\])*\]/y;
const other = (letter: string): string =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();

/** The letters and ranges of a class, in both cases. */
const inBothCases = (set: string): string =>
  set.replace(/\\[pP]\{[^}]+\}|\\.|[A-Za-z]-[A-Za-z]|[A-Za-z]/g, (part) => {
    if (part.startsWith('\\')) return part;
    return part + part.replace(/[A-Za-z]/g, other);
  });

/**
 * Replaces the groups `(?i:…)` of a regular expression by letters in both cases. V8 (Node 24) misses capital letters
 * after alternatives of such a group, and its interpreter misses other texts than its compiled code, so the result
 * would depend on how many texts were matched before.
 */
export function spelledOut(source: string): string {
  const groups: boolean[] = [];
  const part = (pattern: RegExp, at: number): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  let out = '';
  for (let at = 0; at < source.length; ) {
    const anyCase = groups.at(-1) ?? false;
    const char = source[at]!;
    const whole =
      char === '\\' ? part(ESCAPE, at) : char === '[' ? part(CLASS, at) : char === '(' ? part(GROUP, at) : char;
    if (whole === undefined) throw new Error(`not readable at ${at}: ${source}`);
    at += whole.length;
    if (char === '(') groups.push(anyCase || whole === '(?i:');
    if (char === ')') groups.pop();
    if (whole === '(?i:') out += '(?:';
    else if (anyCase && char === '[') out += inBothCases(whole);
    else if (anyCase && /^[A-Za-z]$/.test(whole)) out += `[${whole}${other(whole)}]`;
    else out += whole;
  }
  return out;
}
