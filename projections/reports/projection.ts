import { CONTENT_ERASED } from '../../domain/events/erasure-events.ts';
import { REPORT_EVENTS } from '../../domain/events/report-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext } from '../../domain/ports/projection.ts';
import { category } from '../../domain/streams.ts';
import { type Erasure, erasedEvents, foldAroundErasures } from '../fold-around-erasures.ts';
import { projection } from '../projection.ts';
import { addTallies, insertSubmitted, reportChanges, SUBMITTED, updateInputs, updateLifecycles } from './report-rows.ts';
import { REPORTS } from './tables.ts';

async function foldEvents(batch: readonly StoredEvent[], context: FoldContext): Promise<void> {
  const { submitted, lifecycle } = reportChanges(batch);
  await insertSubmitted(context, submitted);
  await addTallies(context, await updateLifecycles(context, lifecycle));
}

/**
 * What was submitted is written anew where an erasure names it; of a lifecycle the whole is read again up to the erasure, since only the last
 * move and the last note stand in the row. How long reports took is counted once and stays.
 */
async function foldErasure(erasure: Erasure, context: FoldContext): Promise<void> {
  for await (const page of erasedEvents(erasure, context, (name) => name === 'account_reports')) {
    await updateInputs(context, reportChanges(page.filter(({ type }) => type === SUBMITTED)).submitted);
  }
  for (const { stream } of erasure.data.streams.filter((each) => category(each.stream) === 'report')) {
    const events: StoredEvent[] = [];
    for await (const page of context.reread(stream, erasure.event.position)) events.push(...page);
    await updateLifecycles(context, reportChanges(events).lifecycle);
  }
}

export const reports = projection(REPORTS, {
  version: 3,
  handles: [SUBMITTED, ...Object.keys(REPORT_EVENTS), CONTENT_ERASED],
  fold: foldAroundErasures(foldEvents, foldErasure),
});
