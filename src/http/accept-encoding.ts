import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

export type Coding = 'br' | 'gzip' | 'identity';

/** What a client takes: for a body that is worth compressing, and for one that is too small for it. */
export interface Codings {
  readonly large: Coding;
  readonly small: Coding;
}

/** The published types are of a version without `preferred`. */
interface PreferringNegotiator {
  encodings(available: string[], options: { readonly preferred: readonly string[] }): string[];
}

const AVAILABLE: Coding[] = ['br', 'gzip', 'identity'];
const MAX_REMEMBERED_LENGTH = 200;
const remembered = new LRUCache<string, Codings>({ max: 200 });

/** Reads `Accept-Encoding` (RFC 9110, section 12.5.3). Where nothing that there is is acceptable, the plain body is sent. */
export function acceptedCodings(header: string): Codings {
  const known = remembered.get(header);
  if (known !== undefined) return known;
  // `x-gzip` is another name of gzip (RFC 9110, section 8.4.1.3).
  const negotiator: PreferringNegotiator = new Negotiator({ headers: { 'accept-encoding': header.replaceAll(/\bx-gzip\b/gi, 'gzip') } });
  const accepted = negotiator.encodings(AVAILABLE, { preferred: AVAILABLE }) as Coding[];
  const [large = 'identity'] = accepted;
  const codings: Codings = { large, small: accepted.includes('identity') ? 'identity' : large };
  if (header.length <= MAX_REMEMBERED_LENGTH) remembered.set(header, codings);
  return codings;
}
