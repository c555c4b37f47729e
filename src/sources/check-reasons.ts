import { sourceKey, type SourceRef } from '../../domain/events/source-events.ts';
import type { CheckReason, SourceCheck } from '../../domain/ports/source-checks.ts';
import { beginningOf } from '../../domain/text/source-text.ts';
import { oneLine } from './agendas/values.ts';
import type { Finding, SyncReport } from './source.ts';

/** Reasons of one sync that are stored. */
const MAX_REASONS = 10;
/** Characters of a reason and of an address. */
const MAX_TEXT = 300;
/** Matches a word with an address, a date or a number that differs from row to row. A status such as 404 stays. */
const VARYING = /\/|\d[\d.:-]{3,}/;

const withoutVarying = (text: string): string =>
  text
    .split(' ')
    .map((word) => (VARYING.test(word) ? '#' : word))
    .join(' ');

type FoundRow = Finding & Pick<CheckReason, 'effect'>;

function rowsOf({ skipped, degraded, rejected }: Pick<SyncReport, 'skipped' | 'degraded' | 'rejected'>) {
  const unintended = skipped.filter(({ isIntended }) => isIntended !== true);
  return [
    ...rejected.map(({ resource, id, reason }): FoundRow => ({ effect: 'rejected', what: resource, id, reason })),
    ...unintended.map((row): FoundRow => ({ ...row, effect: 'skipped' })),
    ...degraded.map((row): FoundRow => ({ ...row, effect: 'degraded' })),
  ];
}

/** Returns the text that is equal for rows with the same reason. */
const keyOf = ({ effect, what, reason }: FoundRow): string =>
  `${effect} ${what} ${withoutVarying(beginningOf(reason, MAX_TEXT))}`;

/** Counts the rows that a sync left out or published incompletely by their reasons, the most frequent first. */
export function checkReasons(report: Pick<SyncReport, 'skipped' | 'degraded' | 'rejected'>): readonly CheckReason[] {
  const groups = [...Map.groupBy(rowsOf(report), keyOf).values()];
  const mostFrequent = groups.toSorted((left, right) => right.length - left.length).slice(0, MAX_REASONS);
  return mostFrequent.map((rows) => {
    const { effect, what, id, reason, address } = rows[0]!;
    return {
      effect,
      reason: oneLine(beginningOf(reason, MAX_TEXT)) ?? '',
      count: rows.length,
      example: id === null ? what : `${what} ${id.slice(0, 50)}`,
      ...(address !== undefined && address.length <= MAX_TEXT && { address }),
    };
  });
}

/** Returns what `sources status` shows of a sync. `checkedAt` is in milliseconds. */
export function sourceCheckOf(ref: SourceRef, report: SyncReport, checkedAt: number): Omit<SourceCheck, 'failures'> {
  const { sourceIds, failure } = report;
  return { sourceKey: sourceKey(ref), sourceIds, checkedAt, failure, reasons: checkReasons(report) };
}

/** Returns a reason as one line: "3 degraded: its agenda has no text layer (event 471, https://www.example.gov/471)". */
export function reasonLine({ effect, reason, count, example, address }: CheckReason): string {
  return `${count} ${effect}: ${reason} (${address === undefined ? example : `${example}, ${address}`})`;
}
