import type { EncodedAppend } from './append-requests.ts';
import type { Answer } from './append-outcomes.ts';

/** The connection was lost, or the server did not answer, after the append was sent: it may be stored or not. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
}

/** Sends appends to the server. */
export interface AppendLane {
  /** Throws `NotReached` when nothing was sent, `AnswerLost` when the outcome is unknown, or the mapped refusal of the server. */
  send(append: EncodedAppend): Promise<Answer>;
}
