import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { Position } from '../../domain/ports/event-log.ts';
import { streamIdentifier } from './append-requests.ts';
import { type CommitPosition, placeOf } from './log-position.ts';

const BACKWARDS = streams.ReadReq.Options.ReadDirection.BACKWARDS;
/** Events that the server scans in one step of a filtered read. */
const WINDOW = 1_000;
/** All events except the server's own. */
const NOT_SYSTEM = '^[^$]';

function options(): ReadReq.Options {
  const made = new streams.ReadReq.Options();
  const uuid = new streams.ReadReq.Options.UUIDOption();
  uuid.setString(new shared.Empty());
  made.setUuidOption(uuid);
  made.setResolveLinks(false);
  return made;
}

function request(made: ReadReq.Options): ReadReq {
  const read = new streams.ReadReq();
  read.setOptions(made);
  return read;
}

const exactly = (types: readonly string[]): string =>
  `^(${types.map((type) => type.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`;

/** The server's filter by event type. */
function filterOf(types: readonly string[] | undefined): ReadReq.Options.FilterOptions {
  const expression = new streams.ReadReq.Options.FilterOptions.Expression();
  expression.setRegex(types === undefined ? NOT_SYSTEM : exactly(types));
  const filter = new streams.ReadReq.Options.FilterOptions();
  filter.setEventType(expression);
  filter.setMax(WINDOW);
  filter.setCheckpointintervalmultiplier(1);
  return filter;
}

function fromPlace(place: CommitPosition | null): ReadReq.Options.AllOptions {
  const all = new streams.ReadReq.Options.AllOptions();
  if (place === null) all.setStart(new shared.Empty());
  else {
    const position = new streams.ReadReq.Options.Position();
    position.setCommitPosition(place.commit);
    position.setPreparePosition(place.prepare);
    all.setPosition(position);
  }
  return all;
}

/** Up to `limit` events of `$all` from a position on, the event at the position included when it is of these types. */
export function allFrom(position: Position, count: number, types: readonly string[] | undefined): ReadReq {
  const made = options();
  made.setAll(fromPlace(placeOf(position)));
  made.setCount(String(count));
  made.setFilter(filterOf(types));
  return request(made);
}

/** The newest event of `$all` that is not the server's own. */
export function newestOfAll(): ReadReq {
  const made = options();
  const all = new streams.ReadReq.Options.AllOptions();
  all.setEnd(new shared.Empty());
  made.setAll(all);
  made.setReadDirection(BACKWARDS);
  made.setCount('1');
  made.setFilter(filterOf(undefined));
  return request(made);
}

/** A subscription after a position, without the server's own events, with checkpoints. */
export function subscriptionFrom(place: CommitPosition | null): ReadReq {
  const made = options();
  made.setAll(fromPlace(place));
  made.setSubscription(new streams.ReadReq.Options.SubscriptionOptions());
  made.setFilter(filterOf(undefined));
  return request(made);
}

/** Events of one stream from a revision on, or from its end backwards. */
export function ofStream(stream: string, from: number | 'end', count: number): ReadReq {
  const made = options();
  const wanted = new streams.ReadReq.Options.StreamOptions();
  wanted.setStreamIdentifier(streamIdentifier(stream));
  if (from === 'end') {
    wanted.setEnd(new shared.Empty());
    made.setReadDirection(BACKWARDS);
  } else wanted.setRevision(String(from));
  made.setStream(wanted);
  made.setCount(String(count));
  made.setNoFilter(new shared.Empty());
  return request(made);
}
