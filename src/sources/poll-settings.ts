import type { SourceRef } from '../../domain/events/source-events.ts';
import { SOURCES } from './sources.ts';

/** Parses an entry of `CIVIC_POLL`. Throws for an unknown source. */
export function parsePollEntry(entry: string): SourceRef {
  const [client, source = 'legistar'] = entry.split(':').toReversed() as [string, string?];
  if (!Object.hasOwn(SOURCES, source)) {
    throw new Error(`CIVIC_POLL names the source ${source}; allowed is ${Object.keys(SOURCES).join(', ')}`);
  }
  return { source, client };
}

/** Throws for a token of a source that does not use tokens. */
export function requireLegistarTokens(keys: Iterable<string>): void {
  const others = [...keys].map((key) => key.split(':')[0]!).filter((source) => source !== 'legistar');
  if (others.length > 0)
    throw new Error(`CIVIC_SOURCE_TOKENS names the source ${others[0]}, whose clients do not use tokens`);
}

/** Name of the lease under which one process polls a source. */
export const pollLease = ({ source, client }: SourceRef): string =>
  source === 'legistar' ? `poll ${client}` : `poll ${source}:${client}`;
