/** Standard error of a command without its progress lines, of which a slow machine prints more. */
export const withoutProgress = (message: string): string =>
  message.replaceAll(/^(?:\d+ % of )?[\d,.]+ (?:events?|records?|MB), (?:\d+ min )?\d+ s(?:, [^\n]* left)?\n/gm, '');
