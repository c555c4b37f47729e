import { CivicError } from '../api/errors.ts';
import { createTransport, type Transport } from '../api/transport.ts';
import { Backoff } from '../../domain/retry.ts';
import type { HealthAnswer } from '../generated/contract.ts';
import { compareMirror, firstDifference } from './compare-mirror.ts';
import type { FileFormat } from './mirror-files.ts';
import { MirrorRefused, type MirrorStore, StoreAway } from './mirror-store.ts';
import { openMirrorStore } from './open-store.ts';
import type { AskCivic } from './feed-pages.ts';
import { replicate, type Replicated } from './replicate.ts';

/** What the two commands that keep a mirror, `civic replicate` and `civic-replicate`, are asked. */
export interface WantedMirror {
  readonly baseUrl: string;
  readonly key: string;
  /** A folder, `sqlite:FILE` or `postgres://…`. */
  readonly to: string;
  readonly resource: string | null;
  readonly format: FileFormat | null;
  /** Continues until the signal. */
  readonly follow: boolean;
  readonly verify: boolean;
  readonly newSnapshot: boolean;
  readonly signal: AbortSignal;
  /** What a person wants to know while it goes on, in one line. */
  readonly onNotice: (line: string) => void;
  /** Records and changes so far. */
  readonly onProgress: (done: number) => void;
}

const POLL_MS = 1000;
const RETRIES_ONCE = 6;

/**
 * Brings a mirror to the head of the feed and, where it is to verify, compares it with the service. Throws `MirrorRefused` with one line that says
 * what is wrong, and the reason of the signal.
 */
export async function keepMirror(wanted: WantedMirror): Promise<Replicated & { readonly verified?: true }> {
  const { to, resource, format, follow, verify, newSnapshot, signal, onNotice } = wanted;
  const transport = transportOf(wanted);
  const ask: AskCivic = async (path, method = 'GET') => (await transport.send({ method, path, withKey: true })) as never;
  const store = await openMirrorStore(to, format, resource);
  try {
    let done = 0;
    const run = (anew: boolean): Promise<Replicated> =>
      replicate({
        ask,
        store,
        resource,
        once: !follow,
        pollMs: POLL_MS,
        sleep: transport.pause,
        newSnapshot: anew,
        onProgress: (records) => wanted.onProgress((done += records)),
        onRestart: (reason, pauseMs) => {
          const when = pauseMs === 0 ? '' : ` in ${pauseMs / 1000} s`;
          onNotice(`${reason}; starting again from a snapshot${when}; the mirror does not change until that is complete`);
        },
        onStoreAway: (reason) => onNotice(`${reason}; trying again until it answers`),
        onUnfitPage: (reason) => onNotice(`${reason}; reading it again`),
      });
    const result = await run(newSnapshot);
    if (!verify) return result;
    const headDigests = () => readHeadDigests(ask, transport.pause, onNotice);
    await requireEqual({ ask, store, resource, headDigests, run: () => run(false) }, result);
    return { ...result, verified: true };
  } catch (error) {
    if (signal.aborted) {
      // A store that is away has kept what was committed.
      await store.tidy(true).catch((failure: unknown) => {
        if (!(failure instanceof StoreAway)) throw failure;
      });
      throw signal.reason;
    }
    throw error instanceof CivicError ? new MirrorRefused(lineOf(error), { cause: error }) : error;
  } finally {
    await store.close();
  }
}

function transportOf({ baseUrl, key, follow, signal, onNotice }: WantedMirror): Transport {
  try {
    return createTransport({
      baseUrl,
      key,
      signal,
      retries: follow ? Infinity : RETRIES_ONCE,
      maxPauseMs: Infinity,
      onRetry: (error, milliseconds) => onNotice(`${lineOf(error)}; retrying in ${Math.ceil(milliseconds / 1000)} s`),
    });
  } catch (error) {
    throw new MirrorRefused((error as Error).message, { cause: error });
  }
}

const lineOf = ({ status, code, message }: CivicError): string =>
  code === 'no_answer' || code === 'not_json' ? message : `${status} ${code}: ${message}`;

const HEAD_PAUSES_MS = [500, 30_000] as const;

/** Asks for health until the service can read its feed; the head is null until then. Throws `MirrorRefused` after as many attempts as a request has. */
async function readHeadDigests(ask: AskCivic, pause: Transport['pause'], onNotice: WantedMirror['onNotice']) {
  const pauses = new Backoff(...HEAD_PAUSES_MS);
  for (let retries = 0; ; retries += 1) {
    const { head } = (await ask<HealthAnswer>('/api/v1/data/health')).data.pipeline;
    if (head !== null) return head.digests;
    if (retries === RETRIES_ONCE) {
      throw new MirrorRefused('the service cannot read its feed, and the mirror was not compared; run the same command again later');
    }
    const pauseMs = pauses.take();
    onNotice(`the service cannot read its feed; asking again in ${pauseMs / 1000} s`);
    await pause(pauseMs);
  }
}

interface Comparison {
  readonly ask: AskCivic;
  readonly store: MirrorStore;
  readonly resource: string | null;
  readonly headDigests: () => Promise<Readonly<Record<string, string>>>;
  readonly run: () => Promise<Replicated>;
}

const TRIES = 10;

/** Throws `MirrorRefused` for a mirror that differs. The feed may advance before the digests: then it reads on and compares again. */
async function requireEqual({ ask, store, resource, headDigests, run }: Comparison, first: Replicated): Promise<void> {
  let { cursor } = first;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const { equal, different } = await compareMirror(store, await headDigests(), resource);
    if (equal) return;
    const moved = (await run()).cursor;
    if (moved === cursor) {
      const first = await firstDifference(ask, store, different[0]!, cursor);
      const record = first === null ? '' : `; the first record of ${different[0]!} that differs: ${first}`;
      throw new MirrorRefused(
        `the mirror differs from the service in ${different.join(', ')}${record}; run the same command with --new-snapshot to replace what differs`,
      );
    }
    cursor = moved;
  }
  throw new MirrorRefused(`the service changed ${TRIES} times while the mirror was compared; compare at a quieter time`);
}
