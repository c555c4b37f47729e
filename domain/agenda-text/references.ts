import { anyPhrase } from '../text/patterns.ts';

const DOCUMENT_WORDS = anyPhrase(String.raw`
  staff report, attach(?:ment|ed)s?, presentations?, exhibits?, supporting documents?, backup, handouts?, memo,
  pdf
`);
const DOCUMENT = new RegExp(String.raw`\b${DOCUMENT_WORDS}\b|#\s?\d`, 'i');

/** Returns the start of the brackets at the end of a text; -1 if it does not end with brackets. */
function startOfLastBrackets(text: string): number {
  if (!text.endsWith(')')) return -1;
  let depth = 0;
  for (let index = text.length - 1; index >= 0; index -= 1) {
    if (text[index] === ')') depth += 1;
    else if (text[index] === '(') depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

/** Removes names of attached documents in brackets from the end of a title: "(Staff Report #21-002)". */
export function withoutReferences(title: string): string {
  let text = title.trimEnd();
  for (let start = startOfLastBrackets(text); start > 0; start = startOfLastBrackets(text)) {
    if (!DOCUMENT.test(text.slice(start))) return text;
    text = text.slice(0, start).trimEnd();
  }
  return text;
}
