import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Position } from '../../domain/ports/event-log.ts';
import { filled, parsePosition, streamIdentifier } from './event-form.ts';
import type { Cancellable, Wire } from './wire.ts';

/** Events that the server scans in one step of a filtered read. */
const WINDOW = 1_000;
/** All events except the server's own. */
const NOT_SYSTEM = '^[^$]';
const { Options } = streams.ReadReq;
const EMPTY = new shared.Empty();

/** A read of a stream or of `$all`: forward from a revision or position (inclusive), or backward from the end. */
export type Reading<Count> = { readonly count: Count } & (
  | { readonly stream: string; readonly from: number | 'end' }
  | { readonly from: Position | 'end'; readonly types?: readonly string[] | undefined }
);

const exactly = (types: readonly string[]): string =>
  `^(${types.map((type) => type.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`;

function filterOf(types: readonly string[] | undefined): ReadReq.Options.FilterOptions {
  const eventType = filled(new Options.FilterOptions.Expression(), {
    regex: types === undefined ? NOT_SYSTEM : exactly(types),
  });
  return filled(new Options.FilterOptions(), { eventType, max: WINDOW, checkpointintervalmultiplier: 1 });
}

function allFrom(from: Position | 'end'): ReadReq.Options.AllOptions {
  const place = from === 'end' ? null : parsePosition(from);
  if (place === null) return filled(new Options.AllOptions(), from === 'end' ? { end: EMPTY } : { start: EMPTY });
  const position = filled(new Options.Position(), { commitPosition: place.commit, preparePosition: place.prepare });
  return filled(new Options.AllOptions(), { position });
}

function streamFrom(stream: string, from: number | 'end'): ReadReq.Options.StreamOptions {
  const begin = from === 'end' ? { end: EMPTY } : { revision: String(from) };
  return filled(new Options.StreamOptions(), { streamIdentifier: streamIdentifier(stream), ...begin });
}

function requestOf(reading: Reading<number | 'all that follow'>): ReadReq {
  const options = filled(new Options(), {
    uuidOption: filled(new Options.UUIDOption(), { string: EMPTY }),
    resolveLinks: false,
    readDirection:
      reading.from === 'end' && reading.count !== 'all that follow'
        ? Options.ReadDirection.BACKWARDS
        : Options.ReadDirection.FORWARDS,
    ...(reading.count === 'all that follow'
      ? { subscription: new Options.SubscriptionOptions() }
      : { count: String(reading.count) }),
    ...('stream' in reading
      ? { stream: streamFrom(reading.stream, reading.from), noFilter: EMPTY }
      : { all: allFrom(reading.from), filter: filterOf(reading.types) }),
  });
  return filled(new streams.ReadReq(), { options });
}

interface AnswersRequest {
  readonly reading: Reading<number | 'all that follow'>;
  readonly deadlineMs: number | null;
  /** Receives the call before its first answer. */
  readonly onCall?: (call: Cancellable) => void;
}

/**
 * Runs one read and passes its answers to `take` until the read ends or `take` returns `enough`. After `too much` the
 * call is canceled at once. Throws the errors of the call and of `take`.
 */
export async function readAnswers(
  wire: Wire,
  { reading, deadlineMs, onCall }: AnswersRequest,
  take: (answer: ReadResp) => 'more' | 'enough' | 'too much',
): Promise<void> {
  const request = requestOf(reading);
  // Finish such a read rather than cancel it: servers close a connection with many canceled calls within a second.
  const endsItself = 'stream' in reading && reading.count !== 'all that follow';
  await wire.call(
    deadlineMs,
    (client, metadata, options) => client.read(request, metadata, options),
    async (call) => {
      onCall?.(call);
      // The call also emits an error when it is canceled below.
      call.on('error', () => undefined);
      try {
        let demand: ReturnType<typeof take> = 'more';
        for await (const answer of call) {
          if (demand === 'more') demand = take(answer as ReadResp);
          if (demand === 'too much' || (demand === 'enough' && !endsItself)) return;
        }
      } finally {
        call.cancel();
      }
    },
  );
}
