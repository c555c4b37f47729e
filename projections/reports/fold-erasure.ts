import type { StoredEvent } from '../../src/domain/ports/event-log.ts';
import type { FoldContext } from '../../src/domain/ports/projection.ts';
import { category } from '../../src/domain/streams.ts';
import { type Erasure, erasedEvents } from '../fold-around-erasures.ts';
import { reportChanges, SUBMITTED } from './report-changes.ts';
import { updateInputs, updateMoved, updateTouched } from './statements.ts';

const isOf = (name: string) => (stream: string) => category(stream) === name;

/**
 * What was submitted is written anew where an erasure names it; of a lifecycle the whole is read again up to the erasure, since only the last
 * move and the last note stand in the row. How long reports took is counted once and stays.
 */
export const foldErasure = async (erasure: Erasure, { transaction, columns, generation, reread }: FoldContext): Promise<void> => {
  for await (const page of erasedEvents(erasure, isOf('account_reports'), reread)) {
    const { submitted } = reportChanges(page.filter(({ type }) => type === SUBMITTED));
    if (submitted.size > 0) await transaction.execute(updateInputs(generation, [...submitted.values()], columns));
  }
  for (const { stream } of erasure.data.streams.filter((each) => isOf('report')(each.stream))) {
    const events: StoredEvent[] = [];
    for await (const page of reread(stream, erasure.event.position)) events.push(...page);
    const { lifecycle } = reportChanges(events);
    if (lifecycle.size === 0) continue;
    await transaction.execute(updateTouched(generation, lifecycle, columns));
    await transaction.execute(updateMoved(generation, lifecycle, columns));
  }
};
