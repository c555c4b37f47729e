import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach } from 'vitest';
import { type EventLog, NO_STREAM, type Position, type StreamAppend } from '../../domain/ports/event-log.ts';
import { type KurrentLogSettings, openKurrentLog } from '../../infra/kurrentdb/event-log.ts';
import { freshStream, newEvents } from './event-log-builders.ts';
import { type KurrentPeer, type KurrentPeerSettings, startKurrentPeer } from './kurrent-peer.ts';
import { STALL_MS } from './until-reached.ts';

type KurrentLog = ReturnType<typeof openKurrentLog>;

export const one = (): StreamAppend => ({ stream: freshStream(), expectedRevision: NO_STREAM, events: newEvents(1) });

/** Peers, logs on them and followers of the logs, which end after each test. */
export function useKurrentLogs() {
  const peers: KurrentPeer[] = [];
  const opened: KurrentLog[] = [];
  const followers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of followers.splice(0)) await end();
    for (const peer of peers) {
      peer.way.flow();
      peer.faults.neverAnswer = 0;
    }
    for (const log of opened.splice(0)) await log.close();
    for (const peer of peers.splice(0)) await peer.stop();
  });
  return {
    startPeer: async (settings?: KurrentPeerSettings): Promise<KurrentPeer> => {
      const peer = await startKurrentPeer(settings);
      peers.push(peer);
      return peer;
    },
    open: (url: string, settings: Partial<KurrentLogSettings> = {}): KurrentLog => {
      const log = openKurrentLog({ url, deadlineMs: STALL_MS, ...settings });
      opened.push(log);
      return log;
    },
    /** Follows until it is ended or fails, with a rest after each batch, and keeps the received events and the failure. */
    following: (log: EventLog, after: Position, batchSize = 7, types?: readonly string[], restMs = 0) => {
      const stop = new AbortController();
      const follower = { seen: [] as Position[], ids: [] as string[], failure: undefined as unknown, end };
      const reading = { after, batchSize, signal: stop.signal, ...(types === undefined ? {} : { types }) };
      const subscribe = async (): Promise<void> => {
        for await (const { events } of log.subscribe(reading)) {
          follower.seen.push(...events.map(({ position }) => position));
          follower.ids.push(...events.map(({ id }) => id));
          if (restMs > 0) await sleep(restMs);
        }
      };
      const subscription = subscribe().catch((error: unknown) => (follower.failure = error));
      async function end(): Promise<void> {
        stop.abort();
        await subscription;
      }
      followers.push(end);
      return follower;
    },
  };
}
