import { MINUTE_MS } from '../../../domain/durations.ts';

/** The facts that decide if a meeting and an event of another source are the same. */
export interface Session {
  readonly id: string;
  readonly publicBodyId: string;
  /** Local date `YYYY-MM-DD`. */
  readonly day: string;
  /** Start in milliseconds; null without a time. */
  readonly startsAt: number | null;
  /** Kinds of meeting that the title names. */
  readonly kind: string;
  /** True if it is canceled or postponed. */
  readonly isOff: boolean;
}

type Test = (event: Session, meeting: Session) => boolean;

/** Two sources state starts of one meeting that differ by no more than this. */
const MAX_DIFFERENCE = 15 * MINUTE_MS;
/** A day with more meetings of one body is not compared. */
const MAX_OF_DAY = 20;

const isSameKind: Test = (event, meeting) => event.kind === meeting.kind;

const isSameTime: Test = (event, meeting) =>
  event.startsAt !== null && meeting.startsAt !== null && Math.abs(event.startsAt - meeting.startsAt) <= MAX_DIFFERENCE;

const isUntimed: Test = (event, meeting) => event.startsAt === null || meeting.startsAt === null;

/** Applied in this order. An event and a meeting that one test pairs are left out of the next ones. */
const TESTS: readonly Test[] = [
  (event, meeting) => isSameTime(event, meeting) && isSameKind(event, meeting),
  isSameTime,
  (event, meeting) => isUntimed(event, meeting) && isSameKind(event, meeting),
];

/** Returns the text that is equal for an event and a meeting of one body on one day. */
const dayKey = ({ publicBodyId, day, isOff }: Session): string => `${publicBodyId} ${day} ${isOff}`;

/**
 * Returns ids of meetings by the id of the event that is the same meeting. An event that might be several meetings, or
 * the reverse, has none.
 */
export function pairMeetings(events: readonly Session[], meetings: readonly Session[]): ReadonlyMap<string, string> {
  const meetingsOfDay = Map.groupBy(meetings, dayKey);
  const pairs = new Map<string, string>();
  for (const [key, ofDay] of Map.groupBy(events, dayKey)) pairDay(ofDay, meetingsOfDay.get(key) ?? [], pairs);
  return pairs;
}

function pairDay(events: readonly Session[], meetings: readonly Session[], pairs: Map<string, string>): void {
  if (events.length + meetings.length > MAX_OF_DAY) return;
  let [freeEvents, freeMeetings] = [events, meetings];
  for (const test of TESTS) {
    const certain = onlyPairs(freeEvents, freeMeetings, test);
    for (const [event, meeting] of certain) pairs.set(event.id, meeting.id);
    freeEvents = freeEvents.filter((event) => !certain.has(event));
    const pairedMeetings = new Set(certain.values());
    freeMeetings = freeMeetings.filter((meeting) => !pairedMeetings.has(meeting));
  }
}

/** Pairs of an event and a meeting that pass the test with each other and with nothing else. */
function onlyPairs(events: readonly Session[], meetings: readonly Session[], test: Test): Map<Session, Session> {
  const pairs = new Map<Session, Session>();
  for (const event of events) {
    const [meeting, ...others] = meetings.filter((each) => test(event, each));
    if (meeting === undefined || others.length > 0) continue;
    if (events.every((each) => each === event || !test(each, meeting))) pairs.set(event, meeting);
  }
  return pairs;
}
