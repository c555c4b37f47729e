import type { CoveredBodySlugs } from '../../domain/coverage.ts';
import { RECORD_EVENT_TYPES, RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import { readSourceListEvent, SOURCE_LIST_EVENT_TYPES, sourceKey } from '../../domain/events/source-events.ts';
import type { Statement } from '../../domain/ports/database.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext, Projection } from '../../domain/ports/projection.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { category, SOURCE_LIST_STREAM, streamId } from '../../domain/streams.ts';
import { AGENDA, AGENDA_RECORDS, COVERAGE, RESOLVED } from './tables.ts';
import { projection } from '../projection.ts';
import { collectRecordChanges, writeRecords } from '../record-changes.ts';
import { insert, remove, replacing, bindRows, update } from '../rows.ts';
import type { Row } from '../tables.ts';

const NAMES = Object.keys(RESOLVED);
const listResolved = (row: string): string => NAMES.map((name) => `${row}.${name}`).join(', ');

function resolution(generation: number, from: string) {
  const { items, meetings, coveredBodies } = AGENDA.at(generation);
  return {
    values: `i.meeting_id, m.body_id, m.starts_at, m.upcoming_until, m.timezone, m.lead || ',' || i.lead, coalesce(m.on_calendar and c.coverage <> '${COVERAGE.read}' and coalesce(i.kind, 'item') = 'item', false)`,
    joins: `left join ${items} i on i.item_id = ${from}.item_id
      left join ${meetings} m on m.meeting_id = i.meeting_id
      left join ${coveredBodies} c on c.body_id = m.body_id`,
  };
}

/** Has no name, like the statements below, so that it is planned for the current tables. */
function upsertHits(generation: number, hits: readonly Row[]): Statement {
  const table = AGENDA.tables.hits;
  const { names, unnest, values } = bindRows(table, hits);
  const { values: resolved, joins } = resolution(generation, 'r');
  const all = [...names, ...NAMES];
  return {
    text: `insert into ${table.at(generation)} as t (${all.join(', ')}) select r.*, ${resolved} from ${unnest} ${joins} ${replacing(table, all)}`,
    values,
  };
}

/** Updates the hits with one of these ids if a value has changed. */
export function resolveHits(
  generation: number,
  column: 'item_id' | 'meeting_id' | 'body_id',
  ids: readonly string[],
): Statement {
  const { hits } = AGENDA.at(generation);
  const { values, joins } = resolution(generation, 'a');
  return {
    text: `update ${hits} h set (${NAMES.join(', ')}) = (${listResolved('r')})
      from (
        select a.hit_id, ${values} from unnest($1::uuid[]) as x (id) join ${hits} a on a.${column} = x.id ${joins}
      ) r (hit_id, ${NAMES.join(', ')})
      where h.hit_id = r.hit_id and (${listResolved('h')}) is distinct from (${listResolved('r')})`,
    values: [ids],
  };
}

interface BodyCoverage {
  readonly id: string;
  readonly coverage: string;
}

/**
 * Refreshes the active bodies of the list and of added places, in active jurisdictions; for each slug the oldest body.
 * Returns the ids of bodies whose coverage changed.
 */
async function refreshCoveredBodies({ transaction, generation }: FoldContext, covered: readonly CoveredBodySlugs[]) {
  const { jurisdictions, bodies, coveredBodies, addedSources } = AGENDA.at(generation);
  const before = await transaction.query<BodyCoverage>({
    text: `delete from ${coveredBodies} returning body_id as id, coverage`,
    values: [],
  });
  const after = await transaction.query<BodyCoverage>({
    text: `with wanted as (
        select *, '${COVERAGE.listed}' as coverage, 1 as rank from unnest($1::text[], $2::text[]) as c (jurisdiction_slug, body_slug)
        union all
        select j.slug, b.slug, case when bool_or(a.is_public) then '${COVERAGE.public}' else '${COVERAGE.read}' end, 2
        from ${addedSources} a join ${jurisdictions} j on j.slug = a.jurisdiction_slug join ${bodies} b on b.jurisdiction_id = j.jurisdiction_id
        group by j.slug, b.slug
      )
      insert into ${coveredBodies} (body_id, jurisdiction_slug, body_slug, jurisdiction_name, body_name, timezone, lead, coverage)
      select b.body_id, j.slug, b.slug, j.name, b.name, b.timezone,
        '"jurisdictionSlug":' || to_json(j.slug) || ',"jurisdictionName":' || to_json(j.name) || ',"bodyName":' || to_json(b.name), c.coverage
      from (select distinct on (jurisdiction_slug, body_slug) * from wanted order by jurisdiction_slug, body_slug, rank) c
      join lateral (
        select * from ${jurisdictions} where slug = c.jurisdiction_slug order by created_at, jurisdiction_id limit 1
      ) j on j.active
      join lateral (
        select * from ${bodies} where jurisdiction_id = j.jurisdiction_id and slug = c.body_slug order by created_at, body_id limit 1
      ) b on b.active
      returning body_id as id, coverage`,
    values: [covered.map(({ jurisdictionSlug }) => jurisdictionSlug), covered.map(({ slug }) => slug)],
  });
  const coverageOf = ({ rows }: typeof before) => new Map(rows.map(({ id, coverage }) => [id, coverage]));
  const [old, present] = [coverageOf(before), coverageOf(after)];
  return [...new Set([...old.keys(), ...present.keys()])].filter((id) => old.get(id) !== present.get(id));
}

const UNION = `(select string_agg(slug, ' ' order by slug collate "C") from (
  select distinct unnest(string_to_array(concat_ws(' ', t.slugs, r.slugs), ' ')) as slug
) s)`;

/** Adds the slugs of bodies in the batch to their earlier ones. A withdrawn body loses its history. */
async function foldSlugs(context: FoldContext, batch: readonly StoredEvent[]): Promise<void> {
  const bodies = new Map<string, { readonly slugs: Set<string>; readonly isReset: boolean }>();
  for (const event of batch.filter(({ stream }) => category(stream) === 'public_bodies')) {
    const id = streamId(event.stream);
    if (event.type !== RECORD_PUBLISHED) bodies.set(id, { slugs: new Set(), isReset: true });
    else {
      const body = bodies.get(id) ?? { slugs: new Set(), isReset: false };
      bodies.set(id, { ...body, slugs: body.slugs.add((context.content(event) as RecordData<'public_bodies'>).slug) });
    }
  }
  for (const isReset of [true, false]) {
    const changed = [...bodies].filter(([, body]) => body.slugs.size > 0 && body.isReset === isReset);
    const rows = changed.map(([body_id, { slugs }]) => ({ body_id, slugs: [...slugs].toSorted().join(' ') }));
    await update(context, AGENDA.tables.bodies, rows, isReset ? {} : { slugs: UNION });
  }
}

/** Stores the sources that are added at the end of the batch. Returns true if they changed. */
async function foldAddedSources(context: FoldContext, batch: readonly StoredEvent[]): Promise<boolean> {
  const events = batch.filter(({ stream }) => stream === SOURCE_LIST_STREAM).map(readSourceListEvent);
  const last = [...new Map(events.map((event) => [sourceKey(event.data), event])).entries()];
  const added = last.flatMap(([source, event]) =>
    event.type === 'SourceAdded'
      ? [{ source, jurisdiction_slug: event.data.jurisdiction.slug, is_public: event.data.isPublic }]
      : [],
  );
  const { addedSources } = AGENDA.tables;
  await remove(
    context,
    addedSources,
    last.map(([source]) => ({ source })),
  );
  await insert(context, addedSources, added);
  return last.length > 0;
}

/** Refreshes the topics that can be selected and are classified; for each slug the oldest one. */
async function refreshCoveredTopics({ transaction, generation }: FoldContext): Promise<void> {
  const { topics, coveredTopics } = AGENDA.at(generation);
  await transaction.query({ text: `delete from ${coveredTopics}`, values: [] });
  await transaction.query({
    text: `insert into ${coveredTopics} (topic_id, slug, lead)
      select topic_id, slug, '"topicSlug":' || to_json(slug)
      from (select distinct on (slug) topic_id, slug, open from ${topics} order by slug, created_at, topic_id) t where open`,
    values: [],
  });
}

/**
 * Folds the records first, then what depends on them. A hit is updated when its item, its meeting or the coverage of
 * its body changes; names and topics are joined at read time, so that renaming a body costs one row.
 */
async function fold(
  covered: readonly CoveredBodySlugs[],
  batch: readonly StoredEvent[],
  context: FoldContext,
): Promise<void> {
  const { transaction, generation } = context;
  const records = batch.filter(({ stream }) => stream !== SOURCE_LIST_STREAM);
  const changes = collectRecordChanges(AGENDA_RECORDS, records, context.content);
  const hits = changes.get('agenda_hits');
  for (const change of changes.values())
    await writeRecords(context, change === hits ? { ...change, published: [] } : change);
  if (changes.has('public_bodies')) await foldSlugs(context, records);
  if (changes.has('topics')) await refreshCoveredTopics(context);
  const isListChanged = await foldAddedSources(context, batch);
  const bodyIds =
    isListChanged || changes.has('jurisdictions') || changes.has('public_bodies')
      ? await refreshCoveredBodies(context, covered)
      : [];
  const rows = (hits?.published ?? []).map(({ data }) => AGENDA.tables.hits.row(data));
  if (rows.length > 0) await transaction.query(upsertHits(generation, rows));
  const changed = {
    item_id: changes.get('agenda_items')?.ids ?? [],
    meeting_id: changes.get('meetings')?.ids ?? [],
    body_id: bodyIds,
  };
  for (const column of ['item_id', 'meeting_id', 'body_id'] as const) {
    const ids = changed[column];
    if (ids.length > 0) await transaction.query(resolveHits(generation, column, ids));
  }
}

/**
 * Creates the projection. `covered` is the shipped list of publicly covered bodies. Increase the version when it
 * changes, or a running installation will keep the old one.
 */
export const createAgendaProjection = (covered: readonly CoveredBodySlugs[]): Projection =>
  projection(AGENDA, {
    version: 4,
    handles: [...RECORD_EVENT_TYPES, ...SOURCE_LIST_EVENT_TYPES],
    fold: (batch, context) => fold(covered, batch, context),
  });
