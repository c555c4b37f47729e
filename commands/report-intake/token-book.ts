/** What a token stands for: one report, the input it was made from, and who has presented it. */
export interface KeptToken {
  readonly inputHash: string;
  readonly receipt: Receipt;
  /** Every key and surface that has presented the token, the first included. */
  readonly aliases: readonly string[];
}

/** The answer to a submission, the same for ever. Times are ISO 8601 in UTC. */
export interface Receipt {
  readonly reportId: string;
  readonly statusUrl: string;
  readonly submittedAt: string;
  readonly nextCheckAt: string;
}

/**
 * What each token stands for, by `tokenKey`. In two layers, so that keeping one more does not copy all: an account may have thousands, and
 * its history is folded one event after the other.
 */
export interface TokenBook {
  readonly older: ReadonlyMap<string, KeptToken>;
  readonly newer: ReadonlyMap<string, KeptToken>;
}

export const EMPTY_BOOK: TokenBook = { older: new Map(), newer: new Map() };

const MAX_NEWER = 64;

export const findToken = ({ older, newer }: TokenBook, key: string): KeptToken | undefined => newer.get(key) ?? older.get(key);

export function keepToken({ older, newer }: TokenBook, key: string, kept: KeptToken): TokenBook {
  const grown = new Map(newer).set(key, kept);
  return grown.size <= MAX_NEWER ? { older, newer: grown } : { older: new Map([...older, ...grown]), newer: new Map() };
}

/** Each token once. */
export const tokensOf = ({ older, newer }: TokenBook): ReadonlyMap<string, KeptToken> => new Map([...older, ...newer]);
