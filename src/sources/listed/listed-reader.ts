import { createHash } from 'node:crypto';
import type { LegistarReader } from '../../../domain/ports/source-ports.ts';
import { oneLine } from '../legistar/values.ts';

/** A meeting in the form of an event of Legistar, or the id of one that cannot be read. */
type ListedEvent =
  | { readonly EventId: number; readonly EventBodyId: number; readonly EventBodyName: string; readonly EventDate: string }
  | { readonly EventId: unknown };

/** A number in place of an id that is a text, the same for the same texts: 48 bits. */
export const derivedNumber = (...texts: readonly string[]): number =>
  Number.parseInt(createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 12), 16);

const DATED = / - [A-Z][a-z]{2,8} \d{1,2},? \d{4}$/;
const VERB = String.raw`(?:cancell?ed|postponed|rescheduled)`;
const DETAIL = String.raw`(?: (?:from|to|until|due|for|because|by)\b(?:(?! [–-] )[^()]){1,80})?`;
const DASH = ' [–-] ';
/** A part between dashes that is no name: "CANCELED DUE TO WEATHER", "NO MEETING", "No Quorum" behind it. */
const PART = new RegExp(
  String.raw`(?:^|${DASH})[(*[]*(?:${VERB}${DETAIL}|not held|no meeting|notice of cancell?ation)[)*\]]*(?:${DASH}(?:no|lack of(?: a)?) quorum)?(?=${DASH}|$)`,
  'gi',
);
const MARK = new RegExp(
  String.raw`^[(*[]*${VERB}\b[)*\]]*[\s:–-]*|(?<![\s:–-])[\s:–-]+[(*[]*(?:${VERB}|not held)[)*\]]*$| ?\(${VERB}${DETAIL}\)$`,
  'i',
);
/** A longer text is no name with a notice. */
const MAX_NAME = 500;

/** The name of a meeting without notice and day, "Commissioners Court" in "CANCELLED - Commissioners Court - May 19 2026"; of a body, the most frequent one. */
export function bodyNameIn(listed: string): string {
  const name = oneLine(listed) ?? '';
  if (name.length > MAX_NAME) return name;
  return name
    .replace(DATED, '')
    .replace(PART, '')
    .replace(/^ [–-] /, '')
    .replace(MARK, '')
    .replace(DATED, '')
    .replace(/^20\d\d\s+/, '');
}

function mostFrequent(names: readonly string[]): string {
  const counts = [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => ({ name, length }));
  return counts.toSorted((left, right) => right.length - left.length)[0]!.name;
}

const isRead = (event: ListedEvent): event is Exclude<ListedEvent, { readonly EventId: unknown; readonly EventDate?: never }> =>
  'EventDate' in event;

interface ListedReaderOptions {
  readonly platform: Pick<LegistarReader['platform'], 'sourceType' | 'label'>;
  /** The whole list. A reader, which lives as long as one sync, calls it once, and again where a meeting is not in it. */
  readonly list: () => Promise<readonly ListedEvent[]>;
  readonly eventItems?: LegistarReader['eventItems'];
  readonly details?: LegistarReader['details'];
}

/** Reads a platform that only lists meetings, without bodies and times of modification, in the form of the Legistar Web API. */
export function listedReader({ platform, list, eventItems, details }: ListedReaderOptions): LegistarReader {
  let listed: Promise<readonly ListedEvent[]> | undefined;
  const whole = () => (listed ??= list());
  let listedAgain: Promise<readonly ListedEvent[]> | undefined;
  const again = () => (listedAgain ??= list());
  return {
    platform: { ...platform, isUnstamped: true },
    bodies: async () => {
      const byBody = Map.groupBy((await whole()).filter(isRead), ({ EventBodyId }) => EventBodyId);
      return [...byBody].map(([BodyId, events]) => ({ BodyId, BodyName: mostFrequent(events.map(({ EventBodyName }) => EventBodyName)) }));
    },
    events: async (from) => (await whole()).filter((event) => from === null || !isRead(event) || event.EventDate >= from),
    // A second look: a list that came back short once must not remove what is there.
    event: async (eventId) => (await again()).find((event) => event.EventId === eventId) ?? null,
    eventItems: eventItems ?? (async () => []),
    ...(details && { details }),
  };
}
