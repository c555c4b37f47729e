import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Position } from '../../domain/ports/event-log.ts';
import { streamIdentifier } from './append-form.ts';
import { fromPosition, type RecordedEvent } from './event-form.ts';
import { isConnectionLoss, isNotLeader, mapError, NotReached } from './wire-errors.ts';
import type { Cancellable, Wire } from './wire.ts';

/** Events that the server scans in one step of a filtered read. */
const WINDOW = 1_000;
/** All events except the server's own. */
const NOT_SYSTEM = '^[^$]';
const ATTEMPTS = 3;

type Of =
  | { readonly stream: string; readonly from: number | 'end' }
  | { readonly from: Position | 'end'; readonly types?: readonly string[] | undefined };

/** A read of one stream from a revision on, or of `$all` from a position on, both inclusive, or of either from its end backwards. */
export type Reading = Of & { readonly count: number | 'all that follow' };

const exactly = (types: readonly string[]): string =>
  `^(${types.map((type) => type.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`;

function filterOf(types: readonly string[] | undefined): ReadReq.Options.FilterOptions {
  const expression = new streams.ReadReq.Options.FilterOptions.Expression();
  expression.setRegex(types === undefined ? NOT_SYSTEM : exactly(types));
  const filter = new streams.ReadReq.Options.FilterOptions();
  filter.setEventType(expression);
  filter.setMax(WINDOW);
  filter.setCheckpointintervalmultiplier(1);
  return filter;
}

function allFrom(from: Position | 'end'): ReadReq.Options.AllOptions {
  const all = new streams.ReadReq.Options.AllOptions();
  const place = from === 'end' ? null : fromPosition(from);
  if (from === 'end') all.setEnd(new shared.Empty());
  else if (place === null) all.setStart(new shared.Empty());
  else {
    const position = new streams.ReadReq.Options.Position();
    position.setCommitPosition(place.commit);
    position.setPreparePosition(place.prepare);
    all.setPosition(position);
  }
  return all;
}

function streamFrom(stream: string, from: number | 'end'): ReadReq.Options.StreamOptions {
  const wanted = new streams.ReadReq.Options.StreamOptions();
  wanted.setStreamIdentifier(streamIdentifier(stream));
  if (from === 'end') wanted.setEnd(new shared.Empty());
  else wanted.setRevision(String(from));
  return wanted;
}

function requestOf(reading: Reading): ReadReq {
  const options = new streams.ReadReq.Options();
  const uuid = new streams.ReadReq.Options.UUIDOption();
  uuid.setString(new shared.Empty());
  options.setUuidOption(uuid);
  options.setResolveLinks(false);
  if (reading.from === 'end') options.setReadDirection(streams.ReadReq.Options.ReadDirection.BACKWARDS);
  if (reading.count === 'all that follow') options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions());
  else options.setCount(String(reading.count));
  if ('stream' in reading) {
    options.setStream(streamFrom(reading.stream, reading.from));
    options.setNoFilter(new shared.Empty());
  } else {
    options.setAll(allFrom(reading.from));
    options.setFilter(filterOf(reading.types));
  }
  const request = new streams.ReadReq();
  request.setOptions(options);
  return request;
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
      const again = isNotLeader(error) || (isConnectionLoss(error) && !(error instanceof NotReached));
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
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      let done = false;
      call.on('data', (answer: ReadResp) => {
        if (done) return;
        try {
          if (take(answer) === 'more') return;
          resolve();
        } catch (error) {
          reject(error);
        }
        done = true;
        call.cancel();
      });
      call.on('error', reject);
      call.on('end', resolve);
      await promise;
    },
  );
}
