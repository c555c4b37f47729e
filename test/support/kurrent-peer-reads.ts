import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { streamName } from './kurrent-peer-appends.ts';
import type { PeerRecord, PeerStore } from './kurrent-peer-store.ts';

/** Thrown for a place where no record begins. */
export class InvalidPlace extends Error {}

export function recordedAnswer(record: PeerRecord): ReadResp {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent();
  const id = new shared.UUID();
  id.setString(record.id);
  recorded.setId(id);
  const named = new shared.StreamIdentifier();
  named.setStreamName(Buffer.from(record.stream));
  recorded.setStreamIdentifier(named);
  recorded.setStreamRevision(String(record.revision));
  recorded.setCommitPosition(String(record.place));
  recorded.setPreparePosition(String(record.place));
  recorded
    .getMetadataMap()
    .set('type', record.type)
    .set('content-type', record.contentType)
    .set('created', String(record.created));
  recorded.setData(record.data);
  recorded.setCustomMetadata(record.metadata);
  const event = new streams.ReadResp.ReadEvent();
  event.setEvent(recorded);
  event.setCommitPosition(String(record.place));
  const answer = new streams.ReadResp();
  answer.setEvent(event);
  return answer;
}

export function notFoundAnswer(stream: string): ReadResp {
  const missing = new streams.ReadResp.StreamNotFound();
  const named = new shared.StreamIdentifier();
  named.setStreamName(Buffer.from(stream));
  missing.setStreamIdentifier(named);
  const answer = new streams.ReadResp();
  answer.setStreamNotFound(missing);
  return answer;
}

export function checkpointAnswer(place: bigint): ReadResp {
  const checkpoint = new streams.ReadResp.Checkpoint();
  checkpoint.setCommitPosition(String(place));
  checkpoint.setPreparePosition(String(place));
  const answer = new streams.ReadResp();
  answer.setCheckpoint(checkpoint);
  return answer;
}

export function confirmationAnswer(): ReadResp {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation();
  confirmation.setSubscriptionId(crypto.randomUUID());
  const answer = new streams.ReadResp();
  answer.setConfirmation(confirmation);
  return answer;
}

export function caughtUpAnswer(): ReadResp {
  const answer = new streams.ReadResp();
  answer.setCaughtUp(new streams.ReadResp.CaughtUp());
  return answer;
}

/** The server's filter by event type. */
export function filterOf(options: ReadReq.Options): (record: PeerRecord) => boolean {
  const expression = options.getFilter()?.getEventType();
  if (expression === undefined) return () => true;
  const regex = expression.getRegex();
  if (regex !== '') {
    const pattern = new RegExp(regex);
    return ({ type }) => pattern.test(type);
  }
  const prefixes = expression.getPrefixList();
  return ({ type }) => prefixes.some((prefix) => type.startsWith(prefix));
}

const { BACKWARDS } = streams.ReadReq.Options.ReadDirection;

/** Index of the record at which a read of all begins: at the place itself, and after it for a subscription. */
export function startOfAll(store: PeerStore, options: ReadReq.Options): number {
  const all = options.getAll()!;
  if (all.hasStart()) return 0;
  if (all.hasEnd()) return options.getReadDirection() === BACKWARDS ? store.records.length - 1 : store.records.length;
  const at = store.indexAt(BigInt(all.getPosition()!.getCommitPosition()));
  if (at < 0) throw new InvalidPlace();
  return options.hasSubscription() ? at + 1 : at;
}

/** Records of a read that ends; null if the stream does not exist. */
export function recordsOf(store: PeerStore, options: ReadReq.Options): Iterable<PeerRecord> | null {
  const step = options.getReadDirection() === BACKWARDS ? -1 : 1;
  const passes = filterOf(options);
  const walk = function* (records: readonly PeerRecord[], from: number) {
    let remaining = BigInt(options.getCount());
    const end = records.length;
    for (let at = from; at >= 0 && at < end && remaining > 0n; at += step) {
      if (!passes(records[at]!)) continue;
      yield records[at]!;
      remaining -= 1n;
    }
  };
  if (options.hasAll()) return walk(store.records, startOfAll(store, options));
  const stream = options.getStream()!;
  const records = store.stream(streamName(stream.getStreamIdentifier()));
  if (records.length === 0) return null;
  const from = stream.hasEnd() ? records.length - 1 : stream.hasStart() ? 0 : Number(stream.getRevision());
  return walk(records, from);
}
