import type { Position } from '../domain/ports/event-log.ts';
import type { GenerationStore } from '../domain/ports/generations.ts';
import type { Readiness } from '../http/ops-server.ts';

/** Ready once every read model has passed the head of the log that was seen at the start, and as long as the database answers. */
export const createReadiness =
  (generations: GenerationStore, projections: readonly { readonly name: string }[], headAtStart: Position) =>
  async (): Promise<Readiness> => {
    const rows = await generations.list();
    const reasons = projections.flatMap(({ name }) => {
      const live = rows.find(({ projection, state }) => projection === name && state === 'live');
      if (live === undefined) return [`${name} is not there yet`];
      return live.checkpoint < headAtStart ? [`${name} has not caught up`] : [];
    });
    return reasons.length === 0 ? { ready: true } : { ready: false, reasons };
  };
