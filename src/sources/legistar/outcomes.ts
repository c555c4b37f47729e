import type { NormalizedContent } from '../../../domain/records/resources.ts';
import { oneLine } from './clean-text.ts';

type Outcome = NonNullable<NormalizedContent<'agenda_items'>['outcome']>;

/**
 * Action and status names of the source with a certain outcome. Ambiguous ones are left out: "CPC Recommendation Followed" may be either,
 * "Held" is also used for a closed session, and "Deleted" is no decision.
 */
const OUTCOMES: ReadonlyMap<string, Outcome> = new Map([
  ['approved', 'approved'],
  ['adopted', 'approved'],
  ['approved as amended', 'approved'],
  ['adopted as amended', 'approved'],
  ['approved as an individual item', 'approved'],
  ['corrected; approved', 'approved'],
  ['corrected; approved as amended', 'approved'],
  ['corrected; approved as an individual item', 'approved'],
  ['hearing closed; approved', 'approved'],
  ['hearing closed; approved as amended', 'approved'],
  ['corrected; hearing closed; approved', 'approved'],
  ['denied', 'denied'],
  ['hearing closed; denied', 'denied'],
  ['hearing closed; denied with prejudice', 'denied'],
  ['hearing closed; denied without prejudice', 'denied'],
  ['hearing closed; cpc recommendation followed and denied without prejudice', 'denied'],
  ['continued', 'continued'],
  ['deferred', 'continued'],
  ['deferred with instructions', 'continued'],
  ['corrected; deferred', 'continued'],
  ['hearing open; deferred', 'continued'],
  ['hearing closed; deferred', 'continued'],
  ['corrected; hearing open; deferred', 'continued'],
  ['held under advisement', 'continued'],
  ['hearing closed; held under advisement', 'continued'],
  ['hearing open; held under advisement until later', 'continued'],
  ['withdrawn', 'withdrawn'],
  ['no action taken', 'no_action'],
]);

/** The outcome by the action taken at the meeting, or else by the status of the item. */
export const outcomeOf = (actionName: string | null | undefined, matterStatus: string | null | undefined): Outcome | null =>
  OUTCOMES.get((oneLine(actionName) ?? oneLine(matterStatus) ?? '').toLowerCase()) ?? null;
