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
  readonly clock: Pick<Clock, 'sleep'>;
  /** Once it aborts, the process is not ready: it finishes its requests and must get no new ones. */
  readonly stopping: AbortSignal;
}

const PATIENCE_MS = 2_000;

/**
 * Ready once every read model has passed the log's head of the start, while the database answers and the read models follow the log. A
 * paused projection or an unreachable log is common to all processes, and no restart repairs it: it makes the process `degraded`, not
 * unready, because a balancer would otherwise remove all processes at once.
 */
export function createReadiness(parts: ReadinessParts): () => Promise<Readiness> {
  const rowsOf = onceAtATime(() => parts.generations.list());
  const headOf = onceAtATime(() => parts.log.head());
  return async () => {
    if (parts.stopping.aborted) return { status: 'stopping', checks: [{ name: 'process', ok: false, reason: 'stopping' }] };
    const [rows, log] = await Promise.all([inTime(parts, rowsOf()), inTime(parts, headOf())]);
    if (rows === null) return { status: 'not ready', checks: [failed('database', 'it does not answer')] };
    const doubt = parts.history.doubt();
    // A log that has lost history may never reach the head that was seen at the start.
    const goal = log !== null && log < parts.headAtStart ? log : parts.headAtStart;
    const results = parts.projections.map(({ name }) => ofProjection(name, rows, goal));
    const checks = [
      { name: 'database', ok: true },
      log === null ? failed('log', 'it does not answer; what is stored is still read') : { name: 'log', ok: true },
      ...(doubt === null ? [] : [failed('history', doubt)]),
      ...results.map(({ check }) => check),
    ];
    if (doubt !== null || results.some(({ behind }) => behind)) return { status: 'not ready', checks };
    return { status: checks.every(({ ok }) => ok) ? 'ready' : 'degraded', checks };
  };
}

const failed = (name: string, reason: string): ReadinessCheck => ({ name, ok: false, reason });

function ofProjection(
  projection: string,
  rows: readonly Generation[],
  goal: Position,
): { readonly check: ReadinessCheck; readonly behind: boolean } {
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

/** Concurrent probes share one read: a database that hangs gets one. */
function onceAtATime<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let asked: Promise<Value> | undefined;
  return () => {
    asked ??= ask().finally(() => (asked = undefined));
    return asked;
  };
}

/** Null after a failure or two seconds. */
const inTime = <Value>({ clock }: ReadinessParts, asked: Promise<Value>): Promise<Value | null> =>
  answeredWithin(clock, PATIENCE_MS, () => asked).catch(() => null);
