import type { EncodedAppend } from './append-requests.ts';
import type { Answer } from './append-outcomes.ts';

/** The connection went, or the server kept silent, after the append was sent: it may or may not be stored. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
}

/** A way for appends to the server. */
export interface AppendLane {
  /** Throws `NotReached` when nothing was sent, `AnswerLost` when the outcome is unknown, and whatever the server's refusal maps to. */
  send(append: EncodedAppend): Promise<Answer>;
}
