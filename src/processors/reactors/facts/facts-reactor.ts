import { FACTS_VERSION, hasOutdatedFacts } from '../../../../domain/agenda/item-facts.ts';
import { RECORD_PUBLISHED } from '../../../../domain/events/record-events.ts';
import type { StoredEvent } from '../../../../domain/ports/event-log.ts';
import type { Reactor } from '../../../../domain/ports/reactors.ts';
import type { RecordData } from '../../../../domain/records/resources.ts';
import { recordOfStream } from '../../../../domain/streams.ts';
import { runInTurns, type Steps } from '../../../../domain/text/steps.ts';
import { selectLastEvents } from '../../../../projections/record-changes.ts';

type RenewFacts = (ids: readonly string[], confirm: () => Promise<void>) => Promise<void>;

/** Items per command; each can have 1 MiB. */
const ITEMS_PER_COMMAND = 100;
/** Code units of the items of one command: their texts are read without yielding to the event loop. */
const UNITS_PER_COMMAND = 16_000;

/** Returns the ids of the published agenda items of a batch whose facts are outdated, one list for each command. */
function* findOutdatedInSteps(batch: readonly StoredEvent[]): Steps<readonly (readonly string[])[]> {
  const commands: string[][] = [];
  let units = UNITS_PER_COMMAND;
  for (const { stream, data } of selectLastEvents(batch)) {
    const { resource, recordId } = recordOfStream(stream);
    if (resource !== 'agenda_items') continue;
    yield;
    const item = JSON.parse(data) as RecordData<'agenda_items'>;
    if (!hasOutdatedFacts(item)) continue;
    const length = item.title.length + (item.text?.length ?? 0);
    if (commands.at(-1)?.length === ITEMS_PER_COMMAND || units + length > UNITS_PER_COMMAND) {
      commands.push([]);
      units = 0;
    }
    units += length;
    commands.at(-1)!.push(recordId);
  }
  return commands;
}

/**
 * Gives agenda items that were written under other rules their facts, by ordinary changes. The name contains the
 * version of the rules: under a new version the reactor has no checkpoint, and reads the log from its beginning.
 */
export const createFactsReactor = (renewFacts: RenewFacts): Reactor => ({
  name: `facts_${FACTS_VERSION}`,
  follows: [RECORD_PUBLISHED],
  begin:
    () =>
    async (batch, { signal, confirm }) => {
      for (const ids of await runInTurns(findOutdatedInSteps(batch))) {
        signal.throwIfAborted();
        await renewFacts(ids, confirm);
      }
    },
});
