import { createHash } from 'node:crypto';
import type { AgendaReader } from '../../../domain/ports/source-ports.ts';
import { anyPhrase } from '../../../domain/text/patterns.ts';
import { plainText } from '../../../domain/text/source-text.ts';
import { oneLine } from '../agendas/values.ts';

/** A meeting in the form of an event of Legistar, or the id of one that cannot be read. */
export type ListedEvent =
  | {
      readonly EventId: number;
      readonly EventBodyId: number;
      readonly EventBodyName: string;
      readonly EventDate: string;
      /** Reason why the source does not show the event to the public. */
      readonly EventHidden?: string;
      /** True if `EventHidden` states that no body could be found, which is not intended by the source. */
      readonly EventUnplaced?: boolean;
      readonly [field: `Event${string}`]: unknown;
    }
  | {
      readonly EventId: unknown;
      /** Reason why a part of the list could not be read. */
      readonly EventUnread?: string;
    };

/** A number in place of an id that is a text, the same for the same texts: 48 bits. */
export const derivedNumber = (...texts: readonly string[]): number =>
  Number.parseInt(createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 12), 16);

const DATED = / - [A-Z][a-z]{2,8} \d{1,2},? \d{4}$/;
const SPANISH_VERB = '(?:cancelad|suspendid|pospuest|aplazad|postergad|reprogramad)[oa]';
const VERB = `(?:cancell?ed|postponed|rescheduled|${SPANISH_VERB})`;
/** A mark in one or two languages: "CANCELED/CANCELADA", "REUNIÓN CANCELADA / MEETING CANCELED". */
const STATEMENT = String.raw`(?:(?:meeting|reuni[oó]n|sesi[oó]n) )?${VERB}`;
const STATEMENTS = String.raw`${STATEMENT}(?: ?/ ?${STATEMENT}){0,2}`;
const DASH = ' [–-] ';
const BEFORE_DETAIL = '(?:from|to|until|due|for|because|by|por|debido|hasta|para)';
/** "due to weather". */
const DETAIL = String.raw`(?: ${BEFORE_DETAIL}\b(?:(?!${DASH})[^()]){1,80})?`;
const NOTICE = anyPhrase(`
  (?:${STATEMENTS}|(?:meeting )?deferred)${DETAIL}, not held, no meeting, notice of cancell?ation,
  aviso de cancelaci[oó]n
`);
const NO_QUORUM = `(?:${DASH}(?:no|lack of(?: a)?) quorum)?`;
/** A part between dashes that is not a name: "CANCELED DUE TO WEATHER", "NO MEETING", then "No Quorum". */
const PART = new RegExp(String.raw`(?:^|${DASH})[(*[]*${NOTICE}[)*\]]*${NO_QUORUM}(?=${DASH}|$)`, 'gi');
/** "CANCELED: " before a name, " - CANCELED" or " (deferred to May 5)" after it. */
const MARK = new RegExp(
  [
    String.raw`^[(*[]*${STATEMENTS}\b[)*\]]*[\s:–-]*`,
    String.raw`(?<![\s:–-])[\s:–-]+[(*[]*(?:${VERB}(?: ?/ ?${STATEMENT})?|not held)[)*\]]*$`,
    String.raw` ?\((?:${STATEMENTS}|deferred)${DETAIL}\)$`,
  ].join('|'),
  'i',
);
/** A longer text is no name with a notice. */
const MAX_NAME = 500;

/**
 * The name of a meeting without notice and day: "2020 Census Committee" in "CANCELLED - 2020 Census Committee - May 19
 * 2026".
 */
export function meetingNameIn(listed: string): string {
  const name = oneLine(plainText(listed)) ?? '';
  if (name.length > MAX_NAME) return name;
  return name
    .replace(DATED, '')
    .replace(PART, '')
    .replace(/^ [–-] /, '')
    .replace(MARK, '')
    .replace(DATED, '');
}

/**
 * The name of a body in that of a meeting, which is also without a year before it; of several, the most frequent one.
 */
export function bodyNameIn(listed: string): string {
  const name = meetingNameIn(listed);
  return name.length > MAX_NAME ? name : name.replace(/^20\d\d\s+/, '');
}

function mostFrequent(names: readonly string[]): string {
  const counts = [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => ({ name, length }));
  return counts.toSorted((left, right) => right.length - left.length)[0]!.name;
}

const isRead = (
  event: ListedEvent,
): event is Exclude<ListedEvent, { readonly EventId: unknown; readonly EventDate?: never }> => 'EventDate' in event;

interface ListedReaderOptions {
  readonly platform: Pick<AgendaReader['platform'], 'sourceType' | 'label' | 'isSecondary' | 'readsAgendaFiles'>;
  /**
   * Reads the whole list. A reader lives as long as one sync and calls it once, and again if a meeting is missing from
   * it.
   */
  readonly list: () => Promise<readonly ListedEvent[]>;
  /** Day from which the list that was read is complete. */
  readonly listedFrom?: () => string | null;
  readonly eventItems?: AgendaReader['eventItems'];
  readonly details?: AgendaReader['details'];
}

/**
 * Reads a platform that only lists meetings, without bodies and times of modification, in the form of the Legistar Web
 * API.
 */
export function listedReader({ platform, list, listedFrom, eventItems, details }: ListedReaderOptions): AgendaReader {
  let listed: Promise<readonly ListedEvent[]> | undefined;
  const readList = () => (listed ??= list());
  let listedAgain: Promise<ReadonlyMap<unknown, ListedEvent>> | undefined;
  const listAgain = () =>
    (listedAgain ??= list().then((events) => new Map(events.map((event) => [event.EventId, event]))));
  return {
    platform: { ...platform, isUnstamped: true, listsNoBodies: true },
    bodies: async () => {
      const events = (await readList()).filter(isRead).filter(({ EventUnplaced }) => EventUnplaced !== true);
      const visible = events.filter(({ EventHidden }) => EventHidden === undefined);
      // The last event of a client can be withdrawn: its body is listed then.
      const byBody = Map.groupBy(visible.length > 0 ? visible : events, ({ EventBodyId }) => EventBodyId);
      return [...byBody].map(([BodyId, events]) => ({
        BodyId,
        BodyName: mostFrequent(events.map(({ EventBodyName }) => EventBodyName)),
      }));
    },
    events: async (from) =>
      (await readList()).filter((event) => from === null || !isRead(event) || event.EventDate >= from),
    // Reads again: a list that was incomplete once must not cause removals.
    event: async (eventId) => (await listAgain()).get(eventId) ?? null,
    eventItems: eventItems ?? (async () => []),
    get listedFrom() {
      return listedFrom?.() ?? null;
    },
    ...(details && { details }),
  };
}
