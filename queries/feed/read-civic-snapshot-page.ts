import { decodeSnapshotPageCursor, encodeSnapshotPageCursor } from '../../domain/cursor.ts';
import type { JsonPage, SnapshotPageInput } from '../../contract/inputs.ts';
import type { Statement } from '../../domain/ports/database.ts';
import type { LiveReads, QueryContext } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import { decodedCursor } from '../decoded-cursor.ts';
import { JsonText } from '../json-text.ts';
import { tablesOf } from '../live-tables.ts';
import { ERASED_VERSIONS, NOT_SUPERSEDED, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { SNAPSHOTS } from '../../projections/snapshots/tables.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { addDigest, digestText, EMPTY_DIGEST, subtractDigest } from '../../domain/digests.ts';

/** Upper limit of the bytes of a page without its records. */
const PAGE_BYTES = 400;
/** Attempts to read a page and its digest without an erasure in between. */
const ATTEMPTS = 5;
const RECOVERY = {
  details: { recovery: [{ operationId: 'createCivicSnapshot', hint: 'take a snapshot and read its pages' }] },
};

interface PageFacts {
  readonly boundary: number;
  readonly prunedThrough: number;
  readonly feedId: string;
  readonly servedFeed: string;
  readonly erasure: number;
  readonly last: number | null;
  readonly bytes: number;
  readonly hasMore: boolean;
}

/** Row of a page: the first has the facts, the others have the text of a record. */
interface PageRow {
  readonly facts: PageFacts;
  readonly body: string;
}

/** Builds one statement for a page of a resource at the snapshot's boundary, and for the check of the snapshot. */
function snapshotPage(
  history: number,
  snapshots: number,
  input: SnapshotPageInput,
  after: number,
  now: number,
): Statement {
  const tables = tablesOf(RECORD_HISTORY, history);
  const exports = tablesOf(SNAPSHOTS, snapshots);
  // Compare as a row, so that no plan scans all resources for the few records of one.
  const visible = (from: string, to = '(select boundary from snapshot)') =>
    `(h.resource, h.position) > ($3, ${from}) and (h.resource, h.position) <= ($3, ${to})
      and h.superseded_at > (select boundary from snapshot) order by h.resource, h.position`;
  return {
    name: `snapshot_page_g${history}_g${snapshots}`,
    text: `with snapshot as materialized (
        select s.boundary, r.pruned_through, s.feed_id, f.feed_id as served_feed
        from ${exports.snapshots} s, civic.feed_retention r, ${tables.state} f
        where s.snapshot_id = $1::uuid and s.account_id = $2::uuid and s.expires_at > $4::bigint
          and ${tables.isLive} and ${exports.isLive}
      ), size as materialized (
        select max(p.position) as last, coalesce(sum(p.bytes), 0) as bytes from (
          select h.position, octet_length(h.body) as bytes
          from ${tables.history} h where ${visible('$5::bigint')} limit $6::int
        ) p
      )
      select json_build_object(
          'boundary', s.boundary, 'prunedThrough', s.pruned_through, 'feedId', s.feed_id, 'servedFeed', s.served_feed,
          'erasure', ${lastErasure(history, '$3')}, 'last', z.last, 'bytes', z.bytes,
          'hasMore', (select h.position from ${tables.history} h where ${visible('z.last')} limit 1) is not null
        ) as facts, null as body
      from snapshot s, size z
      union all
      (select null, h.body from ${tables.history} h
        where ${visible('$5::bigint', '(select last from size where bytes <= $7::bigint)')})`,
    values: [input.snapshotId, input.accountId, input.resource, now, after, input.limit, input.maxResponseBytes],
  };
}

const HINT = 'read the resource again without a cursor; meta.digest is its digest now';
const BEGIN_AGAIN = { details: { recovery: [{ operationId: 'readCivicSnapshotPage', hint: HINT }] } };

/** Returns a page of a snapshot. Rejects with 400, 404, 410 and 413. */
export function createReadCivicSnapshotPage({ reads, clock }: QueryContext) {
  const erasedDigest = createErasedDigests(reads);
  const readPage = async (input: SnapshotPageInput): Promise<JsonPage | null> => {
    const cursor = input.cursor === undefined ? null : decodeFor(input.cursor, input);
    const [first, ...items] = await reads.rows<PageRow>((generation) =>
      snapshotPage(
        generation(RECORD_HISTORY.name),
        generation(SNAPSHOTS.name),
        input,
        cursor?.position ?? 0,
        clock.now(),
      ),
    );
    if (first === undefined) throw new Rejection('not_found', 'there is no such snapshot, or it has expired');
    const { boundary, prunedThrough, feedId, servedFeed, erasure, last, bytes, hasMore } = first.facts;
    if (feedId !== servedFeed || (cursor !== null && cursor.feedId !== feedId)) {
      throw new Rejection(
        'cursor_expired',
        'the snapshot was taken of another feed than the one served now; take a new one',
        RECOVERY,
      );
    }
    if (boundary < prunedThrough)
      throw new Rejection('cursor_expired', 'the snapshot is older than what is retained; take a new one');
    if (cursor !== null && (cursor.erasure ?? 0) !== erasure) {
      throw new Rejection(
        'cursor_expired',
        'a text in the snapshot was erased; read the snapshot again from its first page',
        BEGIN_AGAIN,
      );
    }
    if (bytes > input.maxResponseBytes) {
      throw new Rejection(
        'response_too_large',
        `the page is over ${input.maxResponseBytes} bytes; ask for fewer items by limit`,
      );
    }
    const { snapshotId, resource } = input;
    const nextCursor = hasMore
      ? `"${encodeSnapshotPageCursor({ feedId, snapshotId, resource, position: last!, ...(erasure === 0 ? {} : { erasure }) })}"`
      : 'null';
    const digest = erasure === 0 ? '' : await erasedDigest(input, boundary, erasure);
    // An erasure came between the page and its digest, so they do not belong together.
    if (digest === null) return null;
    const { form = 'json' } = input;
    const json = new JsonText(bytes + items.length + PAGE_BYTES);
    for (const [index, { body }] of items.entries()) json.item(form, index).text(body);
    const digestMember = digest === '' ? '' : `,"digest":"${digest}"`;
    return json.endOfItems(form, items.length, `{"nextCursor":${nextCursor},"hasMore":${hasMore}${digestMember}}`);
  };
  return async (input: SnapshotPageInput): Promise<JsonPage> => {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const page = await readPage(input);
      if (page !== null) return page;
    }
    throw new Rejection('feed_unavailable', 'texts are being erased from the snapshot; try again');
  };
}

function decodeFor(text: string, { snapshotId, resource }: SnapshotPageInput) {
  const cursor = decodedCursor(decodeSnapshotPageCursor(text), 'a page cursor');
  if (cursor.snapshotId !== snapshotId || cursor.resource !== resource) {
    throw new Rejection('invalid_parameter', 'cursor was minted for another snapshot or resource');
  }
  return cursor;
}

/** Returns SQL for the number of the last erasure that changed a resource in a snapshot `s`; 0 for none. */
const lastErasure = (history: number, resource: string): string => `(
  select coalesce(max(v.erasure), 0)
  from ${ERASED_VERSIONS} v join ${RECORD_HISTORY.at(history).history} e on e.position = v.position
  where v.generation = ${history} and v.resource = ${resource}
    and e.position <= s.boundary and e.superseded_at > s.boundary)`;

/**
 * Computes the digest of the records at a boundary from the digest of the current ones. Reads only the changes since.
 */
function digestAt(history: number, resource: Resource, boundary: number): Statement {
  const tables = tablesOf(RECORD_HISTORY, history);
  return {
    text: `with s as materialized (select $2::bigint as boundary where ${tables.isLive})
      select 'total' as kind, coalesce((select t.digest from ${tables.totals} t where t.resource = $1), $3) as digest,
        ${lastErasure(history, '$1')} as erasure from s
      union all
      select 'since', encode(h.digest, 'hex'), null from s, ${tables.history} h
        where h.resource = $1 and h.position > s.boundary and h.superseded_at = ${NOT_SUPERSEDED}
      union all
      select 'gone', encode(h.digest, 'hex'), null from s, ${tables.history} h
        where h.resource = $1 and h.position <= s.boundary
          and h.superseded_at > s.boundary and h.superseded_at < ${NOT_SUPERSEDED}`,
    values: [resource, boundary, EMPTY_DIGEST],
  };
}

interface DigestRow {
  readonly kind: 'total' | 'since' | 'gone';
  readonly digest: string;
  /** Number of the last erasure; only with the total. */
  readonly erasure: number | null;
}

const MAX_CACHED = 1000;

/** Caches digests of snapshots that erasures have changed. Returns null if another erasure has come since. */
function createErasedDigests(reads: LiveReads) {
  const cached = new Map<string, string>();
  return async (
    { snapshotId, resource }: SnapshotPageInput,
    boundary: number,
    erasure: number,
  ): Promise<string | null> => {
    const key = `${snapshotId} ${resource} ${erasure}`;
    const before = cached.get(key);
    if (before !== undefined) return before;
    const rows = await reads.rows<DigestRow>((generation) =>
      digestAt(generation(RECORD_HISTORY.name), resource, boundary),
    );
    if (rows.find(({ kind }) => kind === 'total')!.erasure !== erasure) return null;
    let sum = 0n;
    for (const { kind, digest } of rows) sum = (kind === 'since' ? subtractDigest : addDigest)(sum, digest);
    if (cached.size >= MAX_CACHED) cached.clear();
    const computed = digestText(sum);
    cached.set(key, computed);
    return computed;
  };
}
