import { type AppendOutcome, type EventLog, OutcomeUnknown, type StreamAppend } from '../../domain/ports/event-log.ts';

/** The fault of one append. */
export type Fault = 'none' | 'conflict' | 'unknown, not stored' | 'unknown, stored';

/**
 * The log with faults in its appends: a conflict although the expectation holds, and an unknown outcome before or after
 * the commit. `next` is called once for each append.
 */
export function withFaults(log: EventLog, next: () => Fault): EventLog {
  const append = async (one: StreamAppend): Promise<AppendOutcome> => {
    const fault = next();
    if (fault === 'conflict') return { kind: 'conflict', actualRevision: one.expectedRevision };
    if (fault === 'unknown, not stored') throw new OutcomeUnknown('injected before the commit');
    const outcome = await log.append(one);
    if (fault === 'unknown, stored') throw new OutcomeUnknown('injected after the commit');
    return outcome;
  };
  return {
    ...log,
    append,
    async appendEach(appends) {
      const fault = next();
      if (fault === 'unknown, not stored') throw new OutcomeUnknown('injected before the commit');
      const chosen = fault === 'conflict' ? appends.filter((_, n) => n % 2 === 0) : appends;
      const stored = new Map(chosen.map(({ stream }, n) => [stream, n]));
      const outcomes = await log.appendEach(chosen);
      if (fault === 'unknown, stored') throw new OutcomeUnknown('injected after the commit');
      return appends.map(({ stream, expectedRevision }) => {
        const at = stored.get(stream);
        return at === undefined ? { kind: 'conflict', actualRevision: expectedRevision } : outcomes[at]!;
      });
    },
  };
}
