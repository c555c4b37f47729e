import type { Clock } from '../../domain/ports/clock.ts';
import type { KnownRecords } from '../../domain/ports/known-records.ts';
import type { BatchedWriter } from './batched-writer.ts';
import type { ClientPlace } from './clients.ts';
import { legistarSourceId } from './legistar-ids.ts';
import { sourceCheckChange } from './source-checks.ts';

/** Records on every source of the client that is known that it could not be read. Without the body list, what is published says which they are. */
export const recordFailedCheck = async (
  sync: { readonly client: string; readonly known: KnownRecords; readonly clock: Clock },
  place: ClientPlace,
  writer: BatchedWriter,
): Promise<void> => {
  const ids = await sync.known.referring('sources', 'jurisdictionId', [place.jurisdictionId]);
  const sources = await sync.known.current('sources', ids);
  const adopted = new Map(place.adopted.map((body) => [body.sourceId, body.publicBodyId]));
  for (const [sourceId, current] of sources) {
    const publicBodyId = adopted.get(sourceId) ?? current.publicBodyId;
    if (publicBodyId === null) continue;
    if (!adopted.has(sourceId) && sourceId !== legistarSourceId(sync.client, publicBodyId)) continue;
    const at = new Date(sync.clock.now()).toISOString();
    await writer.add([
      sourceCheckChange({ sourceId, publicBodyId, jurisdictionId: place.jurisdictionId, current, siteUrl: null, succeeded: false, at }),
    ]);
  }
};
