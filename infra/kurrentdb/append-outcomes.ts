import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { AppendResp, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { LogUnavailable, NO_STREAM, OutcomeUnknown } from '../../domain/ports/event-log.ts';
import type { EncodedAppend } from './append-requests.ts';
import { isKnown, type CommitPosition } from './log-position.ts';

/** The server's answer to an append. It gives no position for a repeated append: that must be read. */
export type Answer =
  | { readonly kind: 'appended'; readonly revision: number; readonly place: CommitPosition | null }
  | { readonly kind: 'conflict'; readonly actualRevision: number };

/** The connection was lost, or the server did not answer, after the append was sent: it may be stored or not. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
}

/** Sends appends to the server. */
export interface AppendLane {
  /** Throws `NotReached` when nothing was sent, `AnswerLost` when the outcome is unknown, or the mapped refusal of the server. */
  send(append: EncodedAppend): Promise<Answer>;
}

interface Success {
  getCurrentRevision(): string;
  getPosition(): { getCommitPosition(): string; getPreparePosition(): string } | undefined;
}

function appendedAt(success: Success | undefined): Answer {
  if (success === undefined) throw new OutcomeUnknown('the log answered an append with nothing');
  const position = success.getPosition();
  const place = position === undefined ? null : { commit: position.getCommitPosition(), prepare: position.getPreparePosition() };
  return { kind: 'appended', revision: Number(success.getCurrentRevision()), place: place !== null && isKnown(place) ? place : null };
}

const conflictAt = (revision: string | null): Answer => ({
  kind: 'conflict',
  actualRevision: revision === null ? NO_STREAM : Number(revision),
});

const tooLarge = (limit: number): Error =>
  new Error(`an append is larger than the ${limit} bytes that the server takes: raise its setting MaxAppendSize`);

/** Errors by the name of their details. An append that may have been stored has an unknown outcome. */
function failureOf(error: NonNullable<ReturnType<BatchAppendResp['getError']>>): Answer {
  const details = error.getDetails();
  const name = details?.getTypeName() ?? '';
  switch (name) {
    case 'event_store.client.WrongExpectedVersion': {
      const wrong = details!.unpack((bytes) => shared.WrongExpectedVersion.deserializeBinary(bytes), name)!;
      return conflictAt(wrong.hasCurrentStreamRevision() ? wrong.getCurrentStreamRevision() : null);
    }
    case 'event_store.client.MaximumAppendSizeExceeded':
      throw tooLarge(details!.unpack((bytes) => shared.MaximumAppendSizeExceeded.deserializeBinary(bytes), name)!.getMaxappendsize());
    case 'event_store.client.AccessDenied':
      throw new Error('the log refuses to append with these credentials: see EVENTSTORE_URL');
    case 'event_store.client.StreamDeleted':
      throw new Error('the stream was deleted in the log by something else');
    case 'google.protobuf.Empty':
      throw new LogUnavailable(`the log takes no appends now: ${error.getMessage()}`);
    default:
      throw new OutcomeUnknown(`the log did not say whether the append is stored: ${name} ${error.getMessage()}`.trim());
  }
}

/** The answer to one append of a batch call. Throws `LogUnavailable`, `OutcomeUnknown`, or an error that a repetition does not change. */
export function batchAnswer(answer: BatchAppendResp): Answer {
  const error = answer.getError();
  return error === undefined ? appendedAt(answer.getSuccess()) : failureOf(error);
}

/** The answer to a single append call. */
export function singleAnswer(answer: AppendResp): Answer {
  const wrong = answer.getWrongExpectedVersion();
  if (wrong === undefined) return appendedAt(answer.getSuccess());
  return conflictAt(wrong.hasCurrentRevision() ? wrong.getCurrentRevision() : null);
}

/** The same for a call that failed as a whole because of its size. */
export function sizeRefusal(error: unknown): Error | null {
  const metadata = (error as { metadata?: { getMap?(): Record<string, unknown> } } | null)?.metadata?.getMap?.();
  if (metadata?.['exception'] !== 'maximum-append-size-exceeded') return null;
  return tooLarge(Number(metadata['maximum-append-size']));
}
