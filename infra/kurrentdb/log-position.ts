import { LOG_START, type Position } from '../../domain/ports/event-log.ts';

const DIGITS = 20;
const FORM = /^(\d{20})\/(\d{20})$/;
/** The server's value for an unknown position: the largest number of 64 bits. */
const UNKNOWN = 2n ** 63n;

export interface CommitPosition {
  readonly commit: string;
  readonly prepare: string;
}

/** A position of this adapter: commit and prepare place, each in twenty digits, so that the order of texts is the order of the log. */
export const toPosition = ({ commit, prepare }: CommitPosition): Position =>
  `${commit.padStart(DIGITS, '0')}/${prepare.padStart(DIGITS, '0')}` as Position;

/** False for an unknown position. */
export const isKnown = ({ commit, prepare }: CommitPosition): boolean => BigInt(commit) < UNKNOWN && BigInt(prepare) < UNKNOWN;

/** Null for the start of the log. Throws for a position of another kind of log. */
export function placeOf(position: Position): CommitPosition | null {
  if (position === LOG_START) return null;
  const [, commit, prepare] = FORM.exec(position) ?? [];
  if (commit === undefined || prepare === undefined) {
    throw new Error(`${position} is no position of a log on KurrentDB: the checkpoint belongs to another log`);
  }
  return { commit: String(BigInt(commit)), prepare: String(BigInt(prepare)) };
}
