import { BegunWork } from '../../plumbing/begun-work.ts';
import { recordDigest } from '../../domain/digests.ts';
import { CONTENT_ERASED } from '../../domain/events/erasure-events.ts';
import { FEED_OPENED, feedOpened } from '../../domain/events/feed-events.ts';
import { RECORD_EVENT_TYPES, RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { Statement } from '../../domain/ports/database.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { FoldContext } from '../../domain/ports/projection.ts';
import { isResource } from '../../domain/records/resources.ts';
import { category, recordOfStream } from '../../domain/streams.ts';
import { chunksOf } from '../../plumbing/chunks.ts';
import { erasedEvents, type Erasure, foldAroundErasures } from '../fold-around-erasures.ts';
import { projection } from '../projection.ts';
import {
  chainAfterErasure,
  type FeedState,
  type HistoryRow,
  historyRows,
  type ResourceTotal,
  Totals,
} from './history-rows.ts';
import { ERASED_VERSIONS, IS_SUPERSEDED, NOT_SUPERSEDED, RECORD_HISTORY } from './tables.ts';
import { insert, bindRows, upsert } from '../rows.ts';

/**
 * Rewrites the versions that an erasure names and, if a version is current, the totals. A build that folded the log
 * without the erased text only changes `ERASED_VERSIONS` and the chain.
 */
async function foldErasure(erasure: Erasure, context: FoldContext): Promise<void> {
  if (!erasure.data.streams.some(({ stream }) => isResource(category(stream)))) return;
  const { before, totals } = await readState(context);
  for await (const page of erasedEvents(erasure, context, isResource)) {
    const publications = page.filter(({ type }) => type === RECORD_PUBLISHED);
    await rewriteVersions(publications, erasure.number, totals, context);
  }
  await writeState(context, { ...before, chain: chainAfterErasure(erasure.event.id) }, totals);
}

interface StoredVersion {
  readonly position: number;
  readonly version: number;
  /** Digest of the content before the erasure. */
  readonly before: string;
  readonly isCurrent: boolean;
}

/** Rewrites versions of one stream. */
async function rewriteVersions(
  events: readonly StoredEvent[],
  erasure: number,
  totals: Totals,
  { transaction, generation }: FoldContext,
): Promise<void> {
  if (events.length === 0) return;
  const { history } = RECORD_HISTORY.at(generation);
  const { resource, recordId } = recordOfStream(events[0]!.stream);
  const versions = new Map(events.map(({ revision, data }) => [revision + 1, data]));
  // One scan per page: versions have no index, because no other statement needs one.
  const existing = await transaction.query<StoredVersion>({
    text: `select h.position, h.version, encode(h.digest, 'hex') as before, h.superseded_at = ${NOT_SUPERSEDED} as "isCurrent"
      from ${history} h where h.resource = $1 and h.record_id = $2::uuid and h.version = any ($3::bigint[]) and not h.removed`,
    values: [resource, recordId, [...versions.keys()]],
  });
  const rows = existing.rows.map(({ version, ...stored }) => {
    const data = versions.get(version)!;
    return { ...stored, data, digest: recordDigest(resource, recordId, data) };
  });
  if (rows.length === 0) return;
  const positions = rows.map(({ position }) => position);
  await transaction.query({
    text: `update ${history} h set body = n.body, digest = n.digest from unnest($1::bigint[], $2::text[], $3::bytea[]) as n(position, body, digest)
      where h.position = n.position`,
    values: [positions, rows.map(({ data }) => data), rows.map(({ digest }) => Buffer.from(digest, 'hex'))],
  });
  await transaction.query({
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

/**
 * Rows per statement. The database writes them while the next ones are prepared; this many fit into the connection's
 * buffer.
 */
const WRITTEN_AT_ONCE = 125;

async function foldChanges(batch: readonly StoredEvent[], context: FoldContext): Promise<void> {
  const { transaction, generation } = context;
  const { history, state } = RECORD_HISTORY.at(generation);
  const opened = batch.findLast(({ type }) => type === FEED_OPENED);
  const feedId = opened && feedOpened.parse(JSON.parse(opened.data)).feedId;
  if (feedId !== undefined) await transaction.query({ text: `update ${state} set feed_id = $1`, values: [feedId] });
  const changes = batch.filter(({ type }) => type !== FEED_OPENED);
  if (changes.length === 0) return;

  const { before, totals, prunedThrough } = await readState(context);
  let after = before;
  const writing = new BegunWork();
  for (const chunk of chunksOf(changes, WRITTEN_AT_ONCE)) {
    const { rows, superseding, state: next } = historyRows(chunk, after);
    after = next;
    if (superseding.length > 0) {
      const superseded = transaction.query<Superseded>(supersedeRows(generation, superseding));
      writing.add(
        superseded.then(({ rows: ended }) => ended.forEach(({ resource, digest }) => totals.remove(resource, digest))),
      );
    }
    // A rebuild leaves out rows that were pruned from the live generation, except the row at the pruned position, which
    // proves the history before it.
    writing.add(
      insertHistory(
        context,
        rows.filter(
          ({ superseded_at, position }) =>
            superseded_at === null || superseded_at > prunedThrough || position === prunedThrough,
        ),
      ),
    );
    totals.addCurrent(rows);
  }
  await writing.end();
  if (before.head < prunedThrough) {
    await transaction.query({
      name: `drop_below_mark_g${generation}`,
      text: `delete from ${history} where ${IS_SUPERSEDED} and superseded_at <= $1 and position <> $1`,
      values: [prunedThrough],
    });
  }
  await writeState(context, after, totals);
}

/**
 * Compares state and totals at a switch. Together they cover every change ever published, except the content of
 * versions that were superseded before the last erasure; that is compared row by row.
 */
function statesDiffer(left: number, right: number): Statement {
  const [one, other] = [RECORD_HISTORY.at(left), RECORD_HISTORY.at(right)];
  const content = ({ state, totals }: typeof one) =>
    `(select concat_ws(' ', 'state', head, coalesce(feed_id::text, ''), changed_at, chain) as difference from ${state}
     union all select concat_ws(' ', resource, records, digest) from ${totals} where records > 0)`;
  return {
    // A build of version 1 has no outline, and one of version 2 no fingerprint.
    text: `(${content(one)} except ${content(other)}) union all (${content(other)} except ${content(one)})
      union all select concat_ws(' ', n.what, l.state->>n.what, r.state->>n.what)
        from (select to_jsonb(s) as state from ${one.state} s) l, (select to_jsonb(s) as state from ${other.state} s) r,
          unnest(array['outline', 'fingerprint']) as n(what)
        where l.state->>n.what <> r.state->>n.what
      limit 3`,
    values: [],
  };
}

/** Compares row by row what both builds retain, up to the head that both have reached. */
function rowsDiffer(left: number, right: number): Statement {
  const [one, other] = [RECORD_HISTORY.at(left), RECORD_HISTORY.at(right)];
  const retained = (history: string) =>
    `select h.position, h.resource, h.record_id, h.version, h.removed, h.changed_at, h.digest, h.envelope, h.body,
       case when h.superseded_at > b.head then ${NOT_SUPERSEDED} else h.superseded_at end as superseded_at
     from ${history} h, bound b where h.position <= b.head and h.superseded_at > b.pruned_through`;
  return {
    text: `with bound as materialized (
        select least(l.head, r.head) as head, f.pruned_through from ${one.state} l, ${other.state} r, civic.feed_retention f
      )
      select concat_ws(' ', coalesce(a.position, b.position), coalesce(a.resource, b.resource), coalesce(a.record_id, b.record_id)) as difference
      from (${retained(one.history)}) a full join (${retained(other.history)}) b on a.position = b.position
      where a is distinct from b limit 3`,
    values: [],
  };
}

const HISTORY_TABLE = /record_history_g\d+$/;
const SUPERSEDED_AFTER_PRUNED = 'superseded_at > (select pruned_through from civic.feed_retention)';

export const recordHistory = projection(RECORD_HISTORY, {
  version: 3,
  handles: [FEED_OPENED, ...RECORD_EVENT_TYPES, CONTENT_ERASED],
  fold: foldAroundErasures(foldChanges, foldErasure),
  differences: (left, right, depth) => [depth === 'switch' ? statesDiffer(left, right) : rowsDiffer(left, right)],
  // While pruning runs, one build might still contain rows that the other has deleted.
  rowsInEveryBuild: (table) => (HISTORY_TABLE.test(table) ? SUPERSEDED_AFTER_PRUNED : 'true'),
  published: true,
});

const { history, totals: totalsTable } = RECORD_HISTORY.tables;

interface FoldState extends FeedState {
  readonly prunedThrough: number;
  readonly totals: readonly ResourceTotal[] | null;
}

async function readState({ transaction, generation }: FoldContext) {
  const { state, totals } = RECORD_HISTORY.at(generation);
  const { rows } = await transaction.query<FoldState>({
    name: `read_fold_state_g${generation}`,
    text: `select s.head, s.changed_at as "changedAt", s.chain, s.outline, encode(s.fingerprint, 'hex') as fingerprint,
        r.pruned_through as "prunedThrough", (select json_agg(t) from ${totals} t) as totals
      from ${state} s, civic.feed_retention r`,
    values: [],
  });
  const { totals: stored, prunedThrough, ...before } = rows[0]!;
  return { before, totals: new Totals(stored ?? []), prunedThrough };
}

async function writeState(context: FoldContext, state: FeedState, totals: Totals): Promise<void> {
  const { head, changedAt, chain, outline, fingerprint } = state;
  const stateUpdate = context.transaction.query({
    name: `write_state_g${context.generation}`,
    text: `update ${RECORD_HISTORY.at(context.generation).state}
      set head = $1, changed_at = $2, chain = $3, outline = $4, fingerprint = decode($5, 'hex')`,
    values: [head, changedAt, chain, outline, fingerprint],
  });
  await Promise.all([stateUpdate, upsert(context, totalsTable, totals.touched())]);
}

interface Superseded {
  readonly resource: string;
  readonly digest: string;
}

/**
 * Marks earlier rows as superseded and returns the resource and digest of each. Has no name, so that it is planned for
 * the current table: a plan from when it was empty would scan all current rows for every batch.
 */
export function supersedeRows(generation: number, rows: readonly HistoryRow[]): Statement {
  const ending = rows.map(({ resource, record_id, position }) => ({ resource, record_id, position }));
  const { unnest, values } = bindRows(history, ending);
  return {
    text: `update ${history.at(generation)} h set superseded_at = r.position from ${unnest}
      where h.resource = r.resource and h.record_id = r.record_id and h.superseded_at = ${NOT_SUPERSEDED}
      returning h.resource, encode(h.digest, 'hex') as digest`,
    values,
  };
}

async function insertHistory(context: FoldContext, rows: readonly HistoryRow[]): Promise<void> {
  const storedRows = rows.map((row) => ({
    ...row,
    superseded_at: row.superseded_at ?? BigInt(NOT_SUPERSEDED),
    digest: row.digest === null ? null : Buffer.from(row.digest, 'hex'),
    fingerprint: Buffer.from(row.fingerprint, 'hex'),
  }));
  await insert(context, history, storedRows);
}
