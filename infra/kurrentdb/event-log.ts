import type { AppendOutcome, ErasingLog, EventLog, StreamAppend } from '../../domain/ports/event-log.ts';
import { appendCalls } from './append-calls.ts';
import { AppendQueue } from './append-queue.ts';
import { openAppendSubscription } from './append-subscription.ts';
import { logReads } from './log-reads.ts';
import { appendSeparately, checkAppends } from '../system/appends.ts';
import { subscribeTo } from '../system/log-subscription.ts';
import { windowed } from '../system/log-window.ts';
import { openWire } from './wire.ts';

export interface KurrentLogSettings {
  /** `esdb://…` or `kurrentdb://…`, with credentials, several hosts and TLS as the server's documentation describes. */
  readonly url: string;
  /** Milliseconds for one read or one append. */
  readonly deadlineMs: number;
  /** Milliseconds between polls of a follower whose subscription is silent. */
  readonly pollMs?: number;
  /** Milliseconds during which an append of unknown outcome is sent again. */
  readonly againMs?: number;
}

const POLL_MS = 5_000;
const AGAIN_MS = 5_000;
/** Deadline of an append. A server answers within a few seconds even if it cannot commit. */
const ANSWER_MS = 10_000;

/**
 * Opens a log on a dedicated server or cluster, version 22.10 or newer. Connects on first use and after each loss.
 * `close` waits for calls in flight.
 */
export function openKurrentLog(
  settings: KurrentLogSettings,
): EventLog & ErasingLog & { forget(): void; close(): Promise<void> } {
  const { url, deadlineMs } = settings;
  const wire = openWire(url);
  const reads = logReads(wire, deadlineMs);
  const followed = windowed(reads.readAll);
  const subscription = openAppendSubscription(wire, settings.pollMs ?? POLL_MS);
  const queue = new AppendQueue({
    send: appendCalls(wire, Math.min(deadlineMs, ANSWER_MS)),
    againMs: Math.min(deadlineMs, settings.againMs ?? AGAIN_MS),
    async positionOf(stream, revision) {
      const [event] = await reads.readStream(stream, revision - 1, 1);
      if (event?.revision !== revision)
        throw new Error(`${stream} has no event ${revision} although the log reported it`);
      return event.position;
    },
  });
  const appendEach = async (appends: readonly StreamAppend[]) => {
    checkAppends(appends);
    return await appendSeparately(appends, (append) => queue.append(append));
  };
  const append = async (each: StreamAppend): Promise<AppendOutcome> => (await appendEach([each]))[0]!;
  return {
    ...reads,
    append,
    appendEach,
    // The store cannot change events, so readers apply the erasure.
    appendErasure: append,
    /** Drops the events that are cached in memory. */
    forget: followed.forget,
    subscribe: (subscribe) => subscribeTo(subscription.news.follow(followed.read), subscribe),
    distance: (from, to) => (from === to ? 0 : null),
    async close() {
      await queue.close();
      wire.close();
      await subscription.close();
    },
  };
}
