import type { RecordChange } from '../../../commands/records/record-writer.ts';
import type { RecordContent } from '../../../domain/records/resources.ts';
import { upsert } from '../source.ts';
import type { ClientPlace } from './clients.ts';
import { legistarBodyId, legistarSourceId } from './own-records.ts';
import type { BodyRow, Skipped } from './rows.ts';
import { oneLine } from './values.ts';

/** A body of the source and its records. */
export interface BodyPlace {
  readonly name: string;
  readonly publicBodyId: string;
  readonly sourceId: string;
}

/** Body types by the source's own type names; every other name is `other`. */
const BODY_TYPES: Readonly<Record<string, RecordContent<'public_bodies'>['bodyType']>> = {
  'primary legislative body': 'governing_body',
  'planning commission': 'planning_commission',
  'board of adjustment': 'board_of_adjustment',
  'advisory board': 'advisory_board',
  'advisory committee': 'advisory_board',
  authority: 'authority',
  committee: 'committee',
  'standing committee': 'committee',
  'council committee': 'committee',
};

function slugOf(name: string, bodyId: number, taken: Set<string>): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
    .replace(/-+$/, '');
  const suffix = `-${bodyId}`;
  const slug = plain === '' ? `body${suffix}` : taken.has(plain) ? `${plain.slice(0, 64 - suffix.length)}${suffix}` : plain;
  taken.add(slug);
  return slug;
}

/**
 * The source's bodies by their ids, and the changes that publish them. A body of the catalogue stays as it is; every other one is published
 * under an id from client and body id. Of two bodies with one slug, the lower body id keeps it.
 */
export function mapBodies(client: string, place: ClientPlace, rows: readonly BodyRow[]) {
  const places = new Map<number, BodyPlace>();
  const changes: RecordChange[] = [];
  const skipped: Skipped[] = [];
  const adopted = new Map(place.adopted.map((body) => [body.bodyName.toLowerCase(), body]));
  const taken = new Set(place.takenSlugs);
  for (const row of rows.toSorted((left, right) => left.BodyId - right.BodyId)) {
    const name = oneLine(row.BodyName);
    if (name === null) {
      skipped.push({ what: 'body', id: String(row.BodyId), reason: 'has no name' });
      continue;
    }
    const existing = adopted.get(name.toLowerCase());
    if (existing !== undefined) {
      adopted.delete(name.toLowerCase());
      places.set(row.BodyId, { name, publicBodyId: existing.publicBodyId, sourceId: existing.sourceId });
      continue;
    }
    const publicBodyId = legistarBodyId(client, row.BodyId);
    places.set(row.BodyId, { name, publicBodyId, sourceId: legistarSourceId(client, publicBodyId) });
    changes.push(
      upsert('public_bodies', publicBodyId, {
        jurisdictionId: place.jurisdictionId,
        slug: slugOf(name, row.BodyId, taken),
        name,
        bodyType: BODY_TYPES[oneLine(row.BodyTypeName)?.toLowerCase() ?? ''] ?? 'other',
        actingBodyRole: 'unknown',
        timezone: place.timezone,
        active: row.BodyActiveFlag !== 0,
      }),
    );
  }
  return { places, changes, skipped };
}
