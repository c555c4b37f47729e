import type { NormalizedContent } from '../../../domain/records/resources.ts';
import { areas } from './areas.ts';
import { facilities } from './facilities.ts';
import { intersections } from './intersections.ts';
import type { FoundLocation } from './location.ts';
import { parcels } from './parcels.ts';
import { roadSegments } from './road-segments.ts';
import { streetAddresses } from './street-addresses.ts';
import { subdivisions } from './subdivisions.ts';
import { zoningDistricts } from './zoning-districts.ts';

type AffectedLocation = NormalizedContent<'agenda_hits'>['affectedLocation'];

/** Bounds of the specification (section "Agenda hit"). */
const AT_MOST = 20;
const LENGTH = 160;

/** The exact kinds first: where two readings of a text overlap, the earlier finder's stands. */
const FINDERS = [roadSegments, intersections, streetAddresses, zoningDistricts, parcels, subdivisions, areas, facilities];

const overlaps = (left: FoundLocation, right: FoundLocation): boolean => left.start < right.end && right.start < left.end;

/** Verbatim and within the bound: what is too long is cut at a white space. */
const sourceText = (text: string, found: FoundLocation): string => {
  const whole = text.slice(found.start, found.end).replace(/[\s,.;]+$/, '');
  return whole.length <= LENGTH
    ? whole
    : whole
        .slice(0, LENGTH + 1)
        .replace(/\s+\S*$/, '')
        .slice(0, LENGTH);
};

/**
 * The places that the texts name, in their order, each once, at most 20 with at most 160 characters of the source (specification, "Agenda hit").
 * Of two that overlap the more exact kind stays; nothing is looked up and nothing completed.
 */
export const affectedLocation = (texts: readonly string[]): AffectedLocation => {
  const locations = new Map<string, AffectedLocation['locations'][number]>();
  for (const text of texts) {
    const kept: FoundLocation[] = [];
    for (const finder of FINDERS) {
      for (const found of finder(text)) if (!kept.some((other) => overlaps(found, other))) kept.push(found);
    }
    for (const found of kept.toSorted((left, right) => left.start - right.start)) {
      const place = sourceText(text, found);
      if (place !== '' && !locations.has(place.toLowerCase())) locations.set(place.toLowerCase(), { kind: found.kind, sourceText: place });
    }
  }
  const stated = [...locations.values()].slice(0, AT_MOST);
  return { status: stated.length > 0 ? 'stated' : 'not_stated', locations: stated };
};
