import type { EventLog, Position } from '../../domain/ports/event-log.ts';
import type { Generation, GenerationStore } from '../../domain/ports/generations.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { answeredWithin } from '../../domain/retry.ts';
import type { Readiness, ReadinessCheck } from '../edge/ops/ops-server.ts';

interface ReadinessParts {
  readonly generations: Pick<GenerationStore, 'list'>;
  readonly log: Pick<EventLog, 'head'>;
  readonly projections: readonly { readonly name: string }[];
  readonly headAtStart: Position;
  readonly history: { doubt(): string | null };
  /** Null, or why the last write of a request was refused. */
  readonly writesRefused: () => string | null;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Once it aborts, the process is not ready: it finishes its requests and must get no new ones. */
  readonly stopping: AbortSignal;
}

const PATIENCE_MS = 2_000;

/** What all processes share, a paused projection, no log or refused writes, is only `degraded`: a balancer would otherwise remove all of them at once. */
export function createReadiness(parts: ReadinessParts): () => Promise<Readiness> {
  const { generations, log, projections, headAtStart, history, writesRefused, clock, stopping } = parts;
  const rowsOf = onceAtATime(clock, () => generations.list());
  const headOf = onceAtATime(clock, () => log.head());
  return async () => {
    if (stopping.aborted) return { status: 'stopping', checks: [{ name: 'process', ok: false, reason: 'stopping' }] };
    const [rows, head] = await Promise.all([rowsOf(), headOf()]);
    if (rows === null) return { status: 'not ready', checks: [failed('database', 'it does not answer')] };
    const [doubt, refused] = [history.doubt(), writesRefused()];
    // A log that has lost history may never reach the head that was seen at the start.
    const goal = head !== null && head < headAtStart ? head : headAtStart;
    const results = projections.map(({ name }) => ofProjection(name, rows, goal));
    const checks = [
      { name: 'database', ok: true },
      head === null ? failed('log', 'it does not answer; what is stored is still read') : { name: 'log', ok: true },
      ...(refused === null ? [] : [failed('writes', refused)]),
      ...(doubt === null ? [] : [failed('history', doubt)]),
      ...results.map(({ check }) => check),
    ];
    if (doubt !== null || results.some(({ behind }) => behind)) return { status: 'not ready', checks };
    return { status: checks.every(({ ok }) => ok) ? 'ready' : 'degraded', checks };
  };
}

const failed = (name: string, reason: string): ReadinessCheck => ({ name, ok: false, reason });

function ofProjection(projection: string, rows: readonly Generation[], goal: Position) {
  const name = `projection ${projection}`;
  const live = rows.find((row) => row.projection === projection && row.state === 'live');
  if (live === undefined) return { check: failed(name, 'it is not there yet'), behind: true };
  if (live.pausedReason !== null) {
    const where = live.pausedEvent === null ? '' : ` at event ${live.pausedEvent}`;
    return { check: failed(name, `paused${where}: ${live.pausedReason}`), behind: false };
  }
  if (live.checkpoint < goal) return { check: failed(name, 'it has not caught up with the head seen at the start'), behind: true };
  return { check: { name, ok: true }, behind: false };
}

/** Null after a failure or two seconds. Concurrent probes share one read: a database that hangs gets one. */
function onceAtATime<Value>(clock: ReadinessParts['clock'], read: () => Promise<Value>): () => Promise<Value | null> {
  let asked: Promise<Value> | undefined;
  return () => {
    asked ??= read().finally(() => (asked = undefined));
    const shared = asked;
    return answeredWithin(clock, PATIENCE_MS, () => shared).catch(() => null);
  };
}
