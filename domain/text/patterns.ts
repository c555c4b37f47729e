/** Source of a pattern that matches any of the alternatives, which are patterns too: `(?:ayes?|yes)`. */
export const anyOf = (...alternatives: readonly string[]): string => `(?:${alternatives.join('|')})`;

/** The same for words that are separated by white space. */
export const anyWord = (words: string): string => anyOf(...words.trim().split(/\s+/));

/** The same for phrases that are separated by a comma and white space. */
export const anyPhrase = (phrases: string): string => anyOf(...phrases.trim().split(/,\s+/));

/** Compiles the parts of a long pattern. */
export const pattern = (flags: string, ...parts: readonly string[]): RegExp => new RegExp(parts.join(''), flags);

/** Compiles a pattern that matches whole words in any case. */
export const wordIn = (words: string): RegExp => new RegExp(String.raw`\b${words}\b`, 'i');
