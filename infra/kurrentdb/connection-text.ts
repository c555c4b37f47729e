const SCHEMES = /^(?:kurrentdb|kurrent|kdb|esdb)(\+discover)?:\/\//;

/** The connection string in the words that the client knows: the newer schemes mean the same as `esdb://`. */
export const connectionText = (url: string): string =>
  url.replace(SCHEMES, (_, discover: string | undefined) => `esdb${discover ?? ''}://`);
