import type { EventLog, Position } from '../../../domain/ports/event-log.ts';
import type { Generation, GenerationStore } from '../../../domain/ports/generations.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { resolveWithin } from '../../../plumbing/retry.ts';
import type { Readiness, ReadinessCheck } from '../../edge/ops/ops-server.ts';

interface ReadinessParts {
  readonly generations: Pick<GenerationStore, 'list'>;
  readonly log: Pick<EventLog, 'head'>;
  readonly projections: readonly { readonly name: string }[];
  readonly headAtStart: Position;
  readonly history: { doubt(): string | null };
  /** Returns why the last write of a request was refused; null if it was not. */
  readonly writesRefused: () => string | null;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Aborts when the process stops: it finishes its requests and must receive no new ones. */
  readonly stopping: AbortSignal;
}

const READ_TIMEOUT_MS = 2_000;

/** Reports failures that all processes share as `degraded` only; otherwise a load balancer would remove all of them at once. */
export function createReadiness(parts: ReadinessParts): () => Promise<Readiness> {
  const { generations, log, projections, headAtStart, history, writesRefused, clock, stopping } = parts;
  const readRows = shareReads(clock, () => generations.list());
  const readHead = shareReads(clock, () => log.head());
  return async () => {
    if (stopping.aborted) return { status: 'stopping', checks: [{ name: 'process', ok: false, reason: 'stopping' }] };
    const [rows, head] = await Promise.all([readRows(), readHead()]);
    if (rows === null) return { status: 'not ready', checks: [failedCheck('database', 'it does not answer')] };
    const [doubt, refused] = [history.doubt(), writesRefused()];
    // A log that has lost history might never reach the head that was seen at the start.
    const goal = head !== null && head < headAtStart ? head : headAtStart;
    const results = projections.map(({ name }) => checkProjection(name, rows, goal));
    const checks = [
      { name: 'database', ok: true },
      head === null ? failedCheck('log', 'it does not answer; stored data is still served') : { name: 'log', ok: true },
      ...(refused === null ? [] : [failedCheck('writes', refused)]),
      ...(doubt === null ? [] : [failedCheck('history', doubt)]),
      ...results.map(({ check }) => check),
    ];
    if (doubt !== null || results.some(({ behind }) => behind)) return { status: 'not ready', checks };
    return { status: checks.every(({ ok }) => ok) ? 'ready' : 'degraded', checks };
  };
}

const failedCheck = (name: string, reason: string): ReadinessCheck => ({ name, ok: false, reason });

function checkProjection(projection: string, rows: readonly Generation[], goal: Position) {
  const name = `projection ${projection}`;
  const live = rows.find((row) => row.projection === projection && row.state === 'live');
  if (live === undefined) return { check: failedCheck(name, 'it does not exist yet'), behind: true };
  if (live.pausedReason !== null) {
    const where = live.pausedEvent === null ? '' : ` at event ${live.pausedEvent}`;
    return { check: failedCheck(name, `paused${where}: ${live.pausedReason}`), behind: false };
  }
  if (live.checkpoint < goal)
    return { check: failedCheck(name, 'it has not caught up with the head seen at the start'), behind: true };
  return { check: { name, ok: true }, behind: false };
}

/** Resolves to null after a failure or two seconds. Concurrent probes share one read, so that a hanging database gets only one. */
function shareReads<Value>(clock: ReadinessParts['clock'], read: () => Promise<Value>): () => Promise<Value | null> {
  let reading: Promise<Value> | undefined;
  return () => {
    const shared = (reading ??= read().finally(() => (reading = undefined)));
    return resolveWithin(clock, READ_TIMEOUT_MS, () => shared).catch(() => null);
  };
}
