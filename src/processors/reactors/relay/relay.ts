import { RECORD_HISTORY } from '../../../../projections/record-history/tables.ts';
import { type FeedRow, type FeedStretch, readFeedAfter } from '../../../../queries/feed/feed-after.ts';
import { readFeedHead } from '../../../../queries/feed/feed-head.ts';
import { EMPTY_FINGERPRINT } from '../../../../domain/digests.ts';
import { FEED_OPENED } from '../../../../domain/events/feed-events.ts';
import { RECORD_EVENT_TYPES } from '../../../../domain/events/record-events.ts';
import type { Clock } from '../../../../domain/ports/clock.ts';
import type { FeedMessage, FeedPublication, FeedTopic, TopicCheckpoint } from '../../../../domain/ports/kafka.ts';
import type { Logger } from '../../../../domain/ports/logger.ts';
import type { LiveReads, Progress } from '../../../../domain/ports/projection.ts';
import { NotYet, type Reactor, type ReactorRunning } from '../../../../domain/ports/reactors.ts';
import { feedCursorEncoder } from '../../../../domain/cursor.ts';
import { untilCaughtUp } from '../../runtime/until-caught-up.ts';

/**
 * Creates the messages of rows. `civic-follows` identifies the previous message, so that a reader of all partitions can
 * prove that none is missing, even among the first ones, whose positions have gaps. The message of a removed record has
 * no value.
 */
export function feedMessages(place: TopicCheckpoint, rows: readonly FeedRow[]): readonly FeedMessage[] {
  const cursors = feedCursorEncoder(
    place.feedId,
    'all',
  )(rows.map(({ position, fingerprint }) => [position, fingerprint]));
  let follows = place.position;
  return rows.map((row, index) => {
    const headers: Record<string, string> = {
      'civic-feed': place.feedId,
      'civic-position': String(row.position),
      'civic-follows': String(follows),
      'civic-operation': row.removed ? 'remove' : 'upsert',
      'civic-version': row.version,
      'civic-changed-at': new Date(row.changedAt).toISOString(),
    };
    if (row.position <= place.boundary) headers['civic-boundary'] = String(place.boundary);
    follows = row.position;
    return {
      key: `${row.resource}/${row.recordId}`,
      value: row.removed ? null : `{"cursor":"${cursors[index]!}",${row.text}}`,
      headers,
    };
  });
}

export const RELAY = 'relay';

interface RelayDependencies {
  readonly topic: FeedTopic;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly progress: Progress;
  readonly reads: LiveReads;
  readonly feedIds: () => Promise<ReadonlySet<string>>;
  readonly onPublished: (messages: number, position: number) => void;
}

const ROWS_AT_ONCE = 2_000;
const BYTES_AT_ONCE = 4_000_000;

interface Session {
  readonly publication: FeedPublication;
  place: TopicCheckpoint;
}

/**
 * Publishes the feed to a topic, each change once and in order. Events only wake it: it publishes the read model's rows
 * after the checkpoint in the topic itself, so neither a crash nor a rebuild loses or repeats a message.
 */
export function createRelay(deps: RelayDependencies): Reactor {
  let session: Session | null = null;
  const endSession = async (): Promise<void> => {
    const ended = session;
    session = null;
    await ended?.publication.end();
  };
  return {
    name: RELAY,
    follows: [FEED_OPENED, ...RECORD_EVENT_TYPES],
    runsOnStart: true,
    begin: () => async (batch, running) => {
      const last = batch.at(-1);
      if (last !== undefined)
        await untilCaughtUp({ ...deps, readModels: [RECORD_HISTORY.name] }, last.position, 'publish', running.signal);
      try {
        session ??= await openSession(deps, running);
        await carryOut(deps, session, running);
      } catch (error) {
        // The outcome of the last transaction is unknown, so the next session reads the topic.
        await endSession();
        throw error;
      }
    },
    end: endSession,
  };
}

async function openSession(deps: RelayDependencies, running: ReactorRunning): Promise<Session> {
  const { topic, logger } = deps;
  // Opening the topic fences the previous publisher, so only the lease owner may do it.
  await running.confirm();
  const publication = await topic.open();
  try {
    const { feedId, position, prunedThrough } = await readFeedHead(deps.reads);
    if (feedId === null) throw new NotYet('the feed has not been opened yet');
    const place = publication.place;
    if (place?.feedId === feedId) {
      logger.info({ topic: topic.name, ...place }, 'the relay goes on');
      return { publication, place };
    }
    if (place !== null && !(await deps.feedIds()).has(place.feedId)) {
      throw new Error(
        `the topic ${topic.name} carries the feed ${place.feedId}, which was never this log's: name another topic`,
      );
    }
    // Pruning removes earlier changes, so the current records are published first, then each change.
    const boundary = prunedThrough === 0 ? 0 : position;
    const begun = { feedId, position: 0, boundary, fingerprint: EMPTY_FINGERPRINT };
    logger.info({ topic: topic.name, former: place, ...begun }, 'the relay begins');
    // Written before the first message, so that the next owner finds the feed of the topic even if that message fails.
    await running.confirm();
    await publication.publish([], begun);
    return { publication, place: begun };
  } catch (error) {
    await publication.end();
    throw error;
  }
}

async function carryOut(deps: RelayDependencies, session: Session, running: ReactorRunning): Promise<void> {
  const { publication } = session;
  running.signal.throwIfAborted();
  let reading = readNext(deps, session.place);
  for (;;) {
    const { place } = session;
    const rows = await reading;
    running.signal.throwIfAborted();
    const last = rows.at(-1);
    if (last === undefined) return;
    const next = { ...place, position: last.position, fingerprint: last.fingerprint };
    // The brokers process these messages while the database reads the next ones.
    reading = readNext(deps, next);
    reading.catch(() => undefined);
    await running.confirm();
    await publication.publish(feedMessages(place, rows), next);
    session.place = next;
    deps.onPublished(rows.length, next.position);
  }
}

/** Reads the next rows. Throws if the feed does not continue the history of the topic or a row is missing. */
async function readNext(
  { topic: { name }, reads }: RelayDependencies,
  place: TopicCheckpoint,
): Promise<FeedStretch['rows']> {
  const { position, boundary } = place;
  const feed = await readFeedAfter(reads, { position, boundary, limit: ROWS_AT_ONCE, maxBytes: BYTES_AT_ONCE });
  if (feed.feedId !== place.feedId) throw new NotYet('the feed has become another');
  const isOther = feed.head < position || (feed.fingerprint !== null && feed.fingerprint !== place.fingerprint);
  if (place.fingerprint !== null && isOther) {
    throw new Error(
      `the topic ${name} carries changes up to position ${position} that the service has lost: run \`civic feed renew --reason TEXT\` and ` +
        `\`civic reactors retry relay\`, and the topic is carried on under a new feed identity`,
    );
  }
  if (feed.prunedThrough > Math.max(position, boundary)) {
    throw new Error(
      `the topic ${name} is at position ${position}, and changes up to ${feed.prunedThrough} are no longer retained: ` +
        `delete the topics ${name} and ${name}.place, or name another one, and the relay begins with the records as they stand`,
    );
  }
  let previous = position;
  for (const row of feed.rows) {
    const isNext =
      row.position > boundary ? row.position === Math.max(previous, boundary) + 1 : row.position > previous;
    if (!isNext) throw new Error(`feed position ${row.position} follows ${previous}`);
    previous = row.position;
  }
  return feed.rows;
}
