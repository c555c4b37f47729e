/** What a command said on standard error without the lines of its progress, which a slow machine has more of. */
export const withoutProgress = (said: string): string =>
  said.replaceAll(/^(?:\d+ % of )?[\d,.]+ (?:events?|records?|MB), (?:\d+ min )?\d+ s(?:, [^\n]* left)?\n/gm, '');
