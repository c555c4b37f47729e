import canonicalize from 'canonicalize';

/** RFC 8785 text of a JSON value. Throws for values that JSON cannot represent (NaN, Infinity, lone surrogates, undefined at the top). */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}
