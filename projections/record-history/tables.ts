import { EMPTY_FINGERPRINT } from '../../domain/digests.ts';
import { FLAG, MAYBE_TEXT, NUMBER, readModel, TEXT, UUID } from '../tables.ts';

/** Largest bigint, later than every position. */
export const NOT_SUPERSEDED = '9223372036854775807';

/** SQL condition for superseded rows, which have an index of their own. A statement without it reads all rows. */
export const IS_SUPERSEDED = `superseded_at < ${NOT_SUPERSEDED}`;

/**
 * The published feed and, at the same time, every current and past state. `position` is dense from 1. A row that was
 * not superseded has `NOT_SUPERSEDED`, so that "visible at P" is `position <= P and superseded_at > P`; a removal
 * supersedes itself and is never visible. `envelope` and `body` are the exact text on the wire: a change item is
 * `{"cursor":"…",` + envelope + body + `}`.
 */
export const RECORD_HISTORY = readModel('record_history', {
  history: {
    isMain: true,
    columns: {
      position: 'bigint primary key',
      resource: TEXT,
      record_id: UUID,
      version: NUMBER,
      removed: FLAG,
      changed_at: NUMBER,
      superseded_at: NUMBER,
      digest: 'bytea',
      envelope: TEXT,
      body: MAYBE_TEXT,
      fingerprint: 'bytea',
    },
    indexes: {
      by_resource: '(resource, position, superseded_at)',
      superseded: `(superseded_at) where ${IS_SUPERSEDED}`,
    },
    more: (table, index) => [
      `create unique index ${index('current')} on ${table} (record_id, resource) where superseded_at = ${NOT_SUPERSEDED}`,
    ],
  },
  /** One row: head, feed identity, time of the newest change, chain, outline and fingerprint (see `FeedState`). */
  state: {
    columns: {
      singleton: 'boolean primary key default true check (singleton)',
      head: NUMBER,
      feed_id: 'uuid',
      changed_at: NUMBER,
      chain: TEXT,
      outline: `${TEXT} default ''`,
      fingerprint: `bytea not null default decode('${EMPTY_FINGERPRINT}', 'hex')`,
    },
    more: (table) => [`insert into ${table} (head, changed_at, chain) values (0, 0, '')`],
  },
  totals: { columns: { resource: 'text collate "C" primary key', records: NUMBER, digest: TEXT } },
});

/**
 * Returns SQL for the current row of a record, named `alias`, found by index for each preceding row. `offset 0`
 * enforces this in plans that are older than the rows; they would otherwise join all current rows.
 */
export const currentRow = (
  history: string,
  alias: string,
  { id, resource }: { readonly id: string; readonly resource: string },
): string =>
  `lateral (select * from ${history} where record_id = ${id} and resource = ${resource} and superseded_at = ${NOT_SUPERSEDED} offset 0) ${alias}`;

/**
 * Returns a SQL condition for current rows in a scan by position. No partial index matches `>=`; with one, a plan that
 * is older than the rows would read the current rows of all resources.
 */
export const isCurrentInOrder = (row: string): string => `${row}.superseded_at >= ${NOT_SUPERSEDED}`;

/** Versions changed by erasures, of all generations; `erasure` is the number of the last one. */
export const ERASED_VERSIONS = 'civic.erased_versions';

/**
 * Returns SQL for the newest position whose change is older than `cutoff` (milliseconds), else the pruned position. `s`
 * is the state row and `r` the retention row. A binary search, because positions above the pruned one are dense and
 * times never decrease.
 */
export const replayFloor = (history: string, cutoff: string): string => `(
  with recursive search(low, high) as (
    select r.pruned_through, s.head
    union all
    select case when m.old then m.middle else low end, case when m.old then high else m.middle - 1 end
    from search, lateral (
      select h.position as middle, h.changed_at < ${cutoff}::bigint as old from ${history} h where h.position = (low + high + 1) / 2
    ) m
    where low < high
  )
  select low from search where low = high
)`;

/** Returns SQL for the fingerprint up to a position, in hexadecimal digits; null if no row has it any more, or yet. */
export const fingerprintAt = (history: string, position: string): string =>
  `case ${position} when 0 then '${EMPTY_FINGERPRINT}' else (select encode(fp.fingerprint, 'hex') from ${history} fp where fp.position = ${position}) end`;
