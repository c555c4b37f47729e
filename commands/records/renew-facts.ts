import { recordStream } from '../../domain/streams.ts';
import type { CommandPorts } from '../handle.ts';
import { handleEach, type HandlingEach } from './handle-each.ts';

/**
 * Publishes agenda items again with the facts of the current rules. Each decision reads the item's stream, so that a
 * concurrent change is never undone. `confirm` is awaited before each append.
 */
export const createFactsRenewal =
  (deps: CommandPorts & Pick<HandlingEach, 'deadlineMs'>) =>
  async (ids: readonly string[], confirm: () => Promise<void>): Promise<void> => {
    const intent = { type: 'RenewFacts' } as const;
    const commands = ids.map(
      (id, index) =>
        [recordStream('agenda_items', id), [{ intent, causedBy: undefined, index, number: index }]] as const,
    );
    const commandId = deps.identifiers.next();
    await handleEach({ ...deps, commandId, context: {}, claim: confirm }, new Map(commands));
  };
