export type Coding = 'br' | 'gzip' | 'identity';

/** What a client takes: for a body that is worth compressing, and for one that is too small for it. */
export interface Codings {
  readonly large: Coding;
  readonly small: Coding;
}

/** Of two that are equally welcome, the earlier. */
const PREFERRED: readonly Coding[] = ['br', 'gzip', 'identity'];
/** Identity is always acceptable unless it is refused, but comes after whatever was asked for. */
const BARELY = 0.0001;
const PLAIN: Codings = { large: 'identity', small: 'identity' };

/** Reads `Accept-Encoding` by the rules of HTTP (RFC 9110, 12.5.3). Where nothing we have is acceptable the plain body is sent. */
export const acceptedCodings = (header: string | undefined): Codings => {
  if (header === undefined) return PLAIN;
  const weights = new Map<string, number>();
  for (const element of header.toLowerCase().split(',')) {
    const [, name = '', weight] = /^\s*([^\s;]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/.exec(element) ?? [];
    if (name !== '') weights.set(name === 'x-gzip' ? 'gzip' : name, weight === undefined ? 1 : Number(weight));
  }
  const others = weights.get('*');
  const weightOf = (coding: Coding): number => weights.get(coding) ?? others ?? (coding === 'identity' ? BARELY : 0);
  const large = PREFERRED.reduce((best, each) => (weightOf(each) > weightOf(best) ? each : best));
  if (weightOf(large) === 0) return PLAIN;
  return { large, small: weightOf('identity') > 0 ? 'identity' : large };
};

const MOST_REMEMBERED = 200;
const LONGEST_REMEMBERED = 200;

/** The same, with what was asked before remembered: clients send few different headers. */
export const rememberedCodings = (): ((header: string | undefined) => Codings) => {
  const known = new Map<string, Codings>();
  return (header) => {
    if (header === undefined) return PLAIN;
    const before = known.get(header);
    if (before !== undefined) return before;
    const codings = acceptedCodings(header);
    if (known.size < MOST_REMEMBERED && header.length <= LONGEST_REMEMBERED) known.set(header, codings);
    return codings;
  };
};
