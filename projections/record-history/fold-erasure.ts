import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext } from '../../domain/ports/projection.ts';
import { isResource } from '../../domain/records/resources.ts';
import { recordDigest } from '../../domain/digests.ts';
import { category, recordOfStream } from '../../domain/streams.ts';
import { erasedEvents, type Erasure } from '../fold-around-erasures.ts';
import { chainAfterErasure } from './history-rows.ts';
import { readState, writeState } from './statements.ts';
import { ERASED_VERSIONS, NOT_SUPERSEDED, RECORD_HISTORY } from './tables.ts';
import type { Totals } from './totals.ts';

/**
 * Gives the versions that an erasure names the text that the log has for them now. Positions, times and versions stay; totals follow where a
 * version is current. A build that has folded the erased text from the start changes nothing but what says that they were erased.
 */
export async function foldErasure(erasure: Erasure, context: FoldContext): Promise<void> {
  if (!erasure.data.streams.some(({ stream }) => isResource(category(stream)))) return;
  const { before, totals } = await readState(context);
  for await (const page of erasedEvents(erasure, context, isResource)) {
    const published = page.filter(({ type }) => type === RECORD_PUBLISHED);
    await rewriteVersions(published, erasure.number, totals, context);
  }
  await writeState(context, { ...before, chain: chainAfterErasure(erasure.event.id) }, totals);
}

/** `events` are of one stream. */
async function rewriteVersions(
  events: readonly StoredEvent[],
  erasure: number,
  totals: Totals,
  { transaction, columns, generation }: FoldContext,
): Promise<void> {
  if (events.length === 0) return;
  const { history } = RECORD_HISTORY.at(generation);
  const { resource, recordId } = recordOfStream(events[0]!.stream);
  const versions = new Map(events.map(({ revision, data }) => [String(revision + 1), data]));
  // One scan per page: versions have no index, since no other statement needs one.
  const found = await transaction.execute({
    text: `select h.position::text, h.version::text, encode(h.digest, 'hex'), (h.superseded_at = ${NOT_SUPERSEDED})::text
      from ${history} h where h.resource = $1 and h.record_id = $2::uuid and h.version = any ($3::bigint[]) and not h.removed`,
    values: [resource, recordId, columns.bigints([...versions.keys()].map(Number))],
  });
  const rows = found.rows.map(([position, version, before, current]) => {
    const data = versions.get(version!)!;
    return {
      position: Number(position),
      before: before!,
      isCurrent: current === 'true',
      data,
      digest: recordDigest(resource, recordId, data),
    };
  });
  if (rows.length === 0) return;
  const positions = columns.bigints(rows.map(({ position }) => position));
  await transaction.execute({
    text: `update ${history} h set body = n.body, digest = n.digest from unnest($1::bigint[], $2::text[], $3::bytea[]) as n(position, body, digest)
      where h.position = n.position`,
    values: [positions, columns.texts(rows.map(({ data }) => data)), columns.bytes(rows.map(({ digest }) => Buffer.from(digest, 'hex')))],
  });
  await transaction.execute({
    text: `insert into ${ERASED_VERSIONS} as v (generation, position, resource, erasure)
      select $1::integer, n.position, $4, $2::bigint from unnest($3::bigint[]) as n(position)
      on conflict (generation, position) do update set erasure = greatest(v.erasure, excluded.erasure)`,
    values: [generation, erasure, positions, resource],
  });
  for (const { before, isCurrent, digest } of rows) {
    if (!isCurrent || before === digest) continue;
    totals.remove(resource, before);
    totals.add(resource, digest);
  }
}
