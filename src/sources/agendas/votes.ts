import type { RecordData } from '../../../domain/records/resources.ts';
import { beginningOf } from '../../../domain/text/source-text.ts';
import { type EventItemRow, parseRows, type Skipped, voteRow } from './rows.ts';
import { oneLine, type Text } from './values.ts';

export type Votes = NonNullable<RecordData<'agenda_items'>['votes']>;
type Summary = Omit<Votes, 'members'>;

const MAX_MEMBERS = 500;
/** Maximum characters of a name, a vote or a tally. */
const MAX_TEXT = 200;

const voteText = (value: Text): string | null => oneLine(beginningOf(value ?? '', MAX_TEXT));

function summaryOf({ EventItemMover, EventItemSeconder, EventItemTally }: EventItemRow): Summary {
  return { mover: voteText(EventItemMover), seconder: voteText(EventItemSeconder), tally: voteText(EventItemTally) };
}

const isStated = (summary: Summary): boolean => Object.values(summary).some((value) => value !== null);

/** True if the source states a vote. A roll call alone is one of attendance. */
export const isVotedOn = (row: EventItemRow): boolean =>
  oneLine(row.EventItemPassedFlagName) !== null || isStated(summaryOf(row));

/** Returns the vote on a row; undefined if nothing of it is known. */
export function votesOf(row: EventItemRow, members: Votes['members']): Votes | undefined {
  const summary = summaryOf(row);
  return isStated(summary) || members.length > 0 ? { ...summary, members } : undefined;
}

/** True if a row states the same mover, seconder and tally as these votes. */
export function hasSummary(row: EventItemRow, votes: Votes | undefined): boolean {
  const { mover, seconder, tally } = summaryOf(row);
  return mover === (votes?.mover ?? null) && seconder === (votes?.seconder ?? null) && tally === (votes?.tally ?? null);
}

/** The votes by member on the row with the id, in the order of the source. */
export function mapMembers(eventItemId: number, source: readonly unknown[]) {
  const { rows, skipped } = parseRows(voteRow, 'VoteId', 'vote', source.slice(0, MAX_MEMBERS));
  const skippedVotes: Skipped[] = [...skipped];
  if (source.length > MAX_MEMBERS) {
    skippedVotes.push({
      what: 'vote',
      id: null,
      reason: `item ${eventItemId} has ${source.length} votes: only ${MAX_MEMBERS} are read`,
    });
  }
  const members: Votes['members'] = [];
  for (const row of rows.toSorted(
    (one, other) => (one.VoteSort ?? 0) - (other.VoteSort ?? 0) || one.VoteId - other.VoteId,
  )) {
    const [name, vote] = [voteText(row.VotePersonName), voteText(row.VoteValueName)];
    const skip = (reason: string) => skippedVotes.push({ what: 'vote', id: String(row.VoteId), reason });
    if (row.VoteEventItemId != null && row.VoteEventItemId !== eventItemId)
      skip(`is on another item than ${eventItemId}`);
    else if (name === null) skip('has no name of a member');
    else if (vote === null) skip('does not say how the member voted');
    else members.push({ name, vote });
  }
  return { members, skipped: skippedVotes };
}
