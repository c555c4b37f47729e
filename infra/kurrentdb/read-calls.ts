import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Position } from '../../domain/ports/event-log.ts';
import { streamIdentifier } from './append-form.ts';
import { filled, fromPosition, type RecordedEvent } from './event-form.ts';
import { isConnectionLoss, isNotLeader, mapError } from './wire-errors.ts';
import type { Cancellable, Wire } from './wire.ts';

/** Events that the server scans in one step of a filtered read. */
const WINDOW = 1_000;
/** All events except the server's own. */
const NOT_SYSTEM = '^[^$]';
const ATTEMPTS = 3;

const { Options } = streams.ReadReq;
const EMPTY = new shared.Empty();

type Of =
  | { readonly stream: string; readonly from: number | 'end' }
  | { readonly from: Position | 'end'; readonly types?: readonly string[] | undefined };

/** A read of one stream from a revision on, or of `$all` from a position on, both inclusive, or of either from its end backwards. */
export type Reading = Of & { readonly count: number | 'all that follow' };

const exactly = (types: readonly string[]): string =>
  `^(${types.map((type) => type.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`;

function filterOf(types: readonly string[] | undefined): ReadReq.Options.FilterOptions {
  const eventType = filled(new Options.FilterOptions.Expression(), { regex: types === undefined ? NOT_SYSTEM : exactly(types) });
  return filled(new Options.FilterOptions(), { eventType, max: WINDOW, checkpointintervalmultiplier: 1 });
}

function allFrom(from: Position | 'end'): ReadReq.Options.AllOptions {
  const place = from === 'end' ? null : fromPosition(from);
  if (place === null) return filled(new Options.AllOptions(), from === 'end' ? { end: EMPTY } : { start: EMPTY });
  const position = filled(new Options.Position(), { commitPosition: place.commit, preparePosition: place.prepare });
  return filled(new Options.AllOptions(), { position });
}

function streamFrom(stream: string, from: number | 'end'): ReadReq.Options.StreamOptions {
  const begin = from === 'end' ? { end: EMPTY } : { revision: String(from) };
  return filled(new Options.StreamOptions(), { streamIdentifier: streamIdentifier(stream), ...begin });
}

function requestOf(reading: Reading): ReadReq {
  const options = filled(new Options(), {
    uuidOption: filled(new Options.UUIDOption(), { string: EMPTY }),
    resolveLinks: false,
    readDirection: reading.from === 'end' ? Options.ReadDirection.BACKWARDS : Options.ReadDirection.FORWARDS,
    ...(reading.count === 'all that follow' ? { subscription: new Options.SubscriptionOptions() } : { count: String(reading.count) }),
    ...('stream' in reading
      ? { stream: streamFrom(reading.stream, reading.from), noFilter: EMPTY }
      : { all: allFrom(reading.from), filter: filterOf(reading.types) }),
  });
  return filled(new streams.ReadReq(), { options });
}

/**
 * The first `limit` values that `pick` makes of the events of one read; a stream that does not exist has no events. Repeated where the leader
 * moved or the connection was lost. Throws `LogUnavailable` and `DeadlineExceeded`.
 */
export async function readCall<Value>(
  wire: Wire,
  deadlineMs: number,
  reading: Reading,
  limit: number,
  pick: (recorded: RecordedEvent) => Value | null,
): Promise<Value[]> {
  for (let attempt = 1; ; attempt += 1) {
    const found: Value[] = [];
    try {
      await readAnswers(wire, deadlineMs, reading, (answer) => {
        const recorded = answer.getEvent()?.getEvent();
        const value = recorded === undefined ? null : pick(recorded);
        if (value !== null) found.push(value);
        return answer.hasStreamNotFound() || found.length === limit ? 'enough' : 'more';
      });
      return found;
    } catch (error) {
      const again = isNotLeader(error) || isConnectionLoss(error);
      if (!again || attempt === ATTEMPTS || wire.closed) throw mapError(error);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** One call, until it ends or `take` has enough. Throws the error of the call or of `take`. `began` receives the call before it answers. */
export async function readAnswers(
  wire: Wire,
  deadlineMs: number | null,
  reading: Reading,
  take: (answer: ReadResp) => 'more' | 'enough',
  began: (call: Cancellable) => void = () => undefined,
): Promise<void> {
  const request = requestOf(reading);
  await wire.call(
    deadlineMs,
    (client, metadata, options) => client.read(request, metadata, options),
    async (call) => {
      began(call);
      // A call that is cancelled after its end, or after enough answers, reports an error once more.
      call.on('error', () => undefined);
      try {
        for await (const answer of call) if (take(answer as ReadResp) === 'enough') return;
      } finally {
        call.cancel();
      }
    },
  );
}
