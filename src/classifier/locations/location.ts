import type { NormalizedContent } from '../../../domain/records/resources.ts';

export type LocationKind = NormalizedContent<'agenda_hits'>['affectedLocation']['locations'][number]['kind'];

/** A place in a text; offsets in UTF-16 code units. */
export interface FoundLocation {
  readonly kind: LocationKind;
  readonly start: number;
  readonly end: number;
}

/** Every match of the pattern as a location; where the pattern has a group named `place`, that group alone. */
export function scan(text: string, kind: LocationKind, pattern: RegExp): FoundLocation[] {
  const found: FoundLocation[] = [];
  for (const match of text.matchAll(pattern)) {
    const place = match.groups?.place;
    const start = place === undefined ? match.index : match.index + match[0].indexOf(place);
    found.push({ kind, start, end: start + (place ?? match[0]).length });
  }
  return found;
}
