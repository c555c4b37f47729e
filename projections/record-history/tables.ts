import { EMPTY_FINGERPRINT } from '../../domain/digests.ts';
import { generationTable } from '../../domain/ports/projection.ts';

/**
 * The record history: the published feed and, at the same time, every current and as-of state.
 *
 * `position` is the feed position, dense from 1. A row that has not been superseded carries `NOT_SUPERSEDED`, so that "visible at P" is
 * `position <= P and superseded_at > P`; a remove supersedes itself and is therefore never visible. `envelope` and `body` are the exact
 * text that goes over the wire: a change item is `{"cursor":"…",` + envelope + body + `}`.
 */
export const RECORD_HISTORY = 'record_history';

/** Largest bigint: later than every position. */
export const NOT_SUPERSEDED = '9223372036854775807';

export interface RecordHistoryTables {
  readonly history: string;
  /** One row: head, feed identity, time of the newest change, chain, outline and fingerprint (see `FeedState`). */
  readonly state: string;
  /** A row per resource: number of current records and their state digest. */
  readonly totals: string;
}

export const recordHistoryTables = (generation: number): RecordHistoryTables => ({
  history: generationTable(RECORD_HISTORY, generation),
  state: generationTable(RECORD_HISTORY, generation, 'state'),
  totals: generationTable(RECORD_HISTORY, generation, 'totals'),
});

/**
 * Which versions erasures have changed, of every generation; `position` is the feed position of the version, `erasure` the number of the
 * last erasure that changed it.
 */
export const ERASED_VERSIONS = 'civic.erased_versions';

const indexName = (table: string, what: string): string => `${table.replace('civic.', '')}_${what}`;

export function createRecordHistoryTables(generation: number): readonly string[] {
  const { history, state, totals } = recordHistoryTables(generation);
  return [
    `create table ${history} (
      position bigint primary key,
      resource text collate "C" not null,
      record_id uuid not null,
      version bigint not null,
      removed boolean not null,
      changed_at bigint not null,
      superseded_at bigint not null,
      digest bytea,
      envelope text collate "C" not null,
      body text collate "C",
      fingerprint bytea
    )`,
    `create index ${indexName(history, 'by_resource')} on ${history} (resource, position, superseded_at)`,
    `create unique index ${indexName(history, 'current')} on ${history} (record_id, resource) where superseded_at = ${NOT_SUPERSEDED}`,
    `create index ${indexName(history, 'superseded')} on ${history} (superseded_at) where superseded_at < ${NOT_SUPERSEDED}`,
    `create table ${state} (
      singleton boolean primary key default true check (singleton),
      head bigint not null,
      feed_id uuid,
      changed_at bigint not null,
      chain text collate "C" not null,
      outline text collate "C" not null default '',
      fingerprint bytea not null default decode('${EMPTY_FINGERPRINT}', 'hex')
    )`,
    `insert into ${state} (head, changed_at, chain) values (0, 0, '')`,
    `create table ${totals} (resource text collate "C" primary key, records bigint not null, digest text collate "C" not null)`,
  ];
}

/**
 * SQL for the newest position whose change is older than `cutoff` (milliseconds), the pruned position where there is none; to stand where `s` is the
 * state row and `r` the retention row. Found by halving: positions above the pruned one are dense and times never fall.
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

/** SQL for the fingerprint of the history up to a position, in hexadecimal digits: null where no row has it any more, or not yet. */
export const fingerprintAt = (history: string, position: string): string =>
  `case ${position} when 0 then '${EMPTY_FINGERPRINT}' else (select encode(fp.fingerprint, 'hex') from ${history} fp where fp.position = ${position}) end`;
