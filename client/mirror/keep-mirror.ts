import { CivicError } from '../api/errors.ts';
import { createTransport, type Transport } from '../api/transport.ts';
import { Backoff } from '../../plumbing/retry.ts';
import type { HealthAnswer } from '../generated/contract.ts';
import { compareMirror, firstDifference } from './compare-mirror.ts';
import type { FileFormat } from './mirror-files.ts';
import { MirrorRefused, type MirrorStore, StoreAway } from './mirror-store.ts';
import { openMirrorStore } from './open-store.ts';
import type { AskCivic } from './feed-pages.ts';
import { replicate, type Replicated } from './replicate.ts';

/** Options of the two commands that maintain a mirror, `civic replicate` and `civic-replicate`. */
interface WantedMirror {
  readonly baseUrl: string;
  readonly key: string;
  /** A folder, `sqlite:FILE` or `postgres://…`. */
  readonly to: string;
  readonly resource: string | null;
  readonly format: FileFormat | null;
  /** True: continues until the signal aborts. */
  readonly follow: boolean;
  readonly verify: boolean;
  readonly newSnapshot: boolean;
  readonly signal: AbortSignal;
  /** Receives notices for a person, each of one line. */
  readonly onNotice: (line: string) => void;
  /** Receives the number of records and changes so far. */
  readonly onProgress: (done: number) => void;
}

const POLL_MS = 1000;
const RETRIES_ONCE = 6;

/**
 * Updates a mirror to the head of the feed and, if `verify` is set, compares it with the service. Throws
 * `MirrorRefused` with a one-line message, or the reason of the signal.
 */
export async function keepMirror(options: WantedMirror): Promise<Replicated & { readonly verified?: true }> {
  const { to, resource, format, follow, verify, newSnapshot, signal, onNotice } = options;
  const outage = createOutageNotices(options);
  const transport = openTransport(options, outage.begin);
  const ask: AskCivic = async (path, method = 'GET') => {
    const answer = await transport.send({ method, path, withKey: true });
    outage.end();
    return answer as never;
  };
  const store = await openMirrorStore(to, format, resource);
  try {
    let done = 0;
    const run = (fromSnapshot: boolean): Promise<Replicated> =>
      replicate({
        ask,
        store,
        resource,
        once: !follow,
        pollMs: POLL_MS,
        sleep: transport.pause,
        newSnapshot: fromSnapshot,
        onProgress: (records) => options.onProgress((done += records)),
        onRestart: (reason, pauseMs) => {
          const when = pauseMs === 0 ? '' : ` in ${pauseMs / 1000} s`;
          onNotice(
            `${reason}; starting again from a snapshot${when}; the mirror does not change until that is complete`,
          );
        },
        onStoreAway: (reason) => onNotice(`${reason}; trying again until it answers`),
        onStoreBack: () => onNotice('the PostgreSQL database answers again'),
        onUnfitPage: (reason) => onNotice(`${reason}; reading it again`),
      });
    const result = await run(newSnapshot);
    if (!verify) return result;
    const headDigests = () => readHeadDigests(ask, transport.pause, onNotice);
    await requireEqual({ ask, store, resource, headDigests, run: () => run(false) }, result);
    return { ...result, verified: true };
  } catch (error) {
    if (signal.aborted) {
      // An unavailable store still has the committed data.
      await store.tidy(true).catch((failure: unknown) => {
        if (!(failure instanceof StoreAway)) throw failure;
      });
      throw signal.reason;
    }
    throw error instanceof CivicError ? new MirrorRefused(formatError(error), { cause: error }) : error;
  } finally {
    await store.close();
  }
}

/**
 * Reports every retry of a single run. For a mirror that follows, it reports an outage once for each reason, and the
 * end of the outage.
 */
function createOutageNotices({ follow, onNotice }: WantedMirror) {
  let reported: string | null = null;
  return {
    begin: (error: CivicError, pauseMs: number): void => {
      const reason = formatError(error);
      if (!follow) onNotice(`${reason}; retrying in ${Math.ceil(pauseMs / 1000)} s`);
      else if (reason !== reported) onNotice(`${reason}; retrying until the service answers`);
      reported = reason;
    },
    end: (): void => {
      if (follow && reported !== null) onNotice('the service answers again');
      reported = null;
    },
  };
}

type OnRetry = (error: CivicError, pauseMs: number) => void;

function openTransport({ baseUrl, key, follow, signal }: WantedMirror, onRetry: OnRetry): Transport {
  try {
    return createTransport({
      baseUrl,
      key,
      signal,
      retries: follow ? Infinity : RETRIES_ONCE,
      maxPauseMs: Infinity,
      onRetry,
    });
  } catch (error) {
    throw new MirrorRefused((error as Error).message, { cause: error });
  }
}

const formatError = ({ status, code, message }: CivicError): string =>
  code === 'no_answer' || code === 'not_json' ? message : `${status} ${code}: ${message}`;

const HEAD_PAUSES_MS = [500, 30_000] as const;

/**
 * Polls health until the service can read its feed and the head is not null. Throws `MirrorRefused` after as many
 * attempts as a request has.
 */
async function readHeadDigests(ask: AskCivic, pause: Transport['pause'], onNotice: WantedMirror['onNotice']) {
  const pauses = new Backoff(...HEAD_PAUSES_MS);
  for (let retries = 0; ; retries += 1) {
    const { head } = (await ask<HealthAnswer>('/api/v1/data/health')).data.pipeline;
    if (head !== null) return head.digests;
    if (retries === RETRIES_ONCE) {
      throw new MirrorRefused(
        'the service cannot read its feed, so the mirror was not compared; run the same command again later',
      );
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

/** Throws `MirrorRefused` if the mirror differs. If the feed advanced in between, reads on and compares again. */
async function requireEqual({ ask, store, resource, headDigests, run }: Comparison, first: Replicated): Promise<void> {
  let { cursor } = first;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const { equal, different } = await compareMirror(store, await headDigests(), resource);
    if (equal) return;
    const moved = (await run()).cursor;
    if (moved === cursor) {
      const [{ name, stale }] = different as [(typeof different)[number]];
      const first = stale ?? (await firstDifference(ask, store, name, cursor));
      const record = first === null ? '' : `; the first record of ${name} that differs: ${first}`;
      throw new MirrorRefused(
        `the mirror differs from the service in ${different.map((each) => each.name).join(', ')}${record}; run the same command with --new-snapshot to replace what differs`,
      );
    }
    cursor = moved;
  }
  throw new MirrorRefused(
    `the service changed ${TRIES} times while the mirror was compared; compare at a quieter time`,
  );
}
