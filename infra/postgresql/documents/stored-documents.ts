import type { Transactor } from '../../../domain/ports/database.ts';
import type { StoredDocument, StoredDocuments, StoredText } from '../../../domain/ports/documents.ts';
import { beginningOf } from '../../../domain/text/source-text.ts';
import { columnList, sql, statementsIn, verbatim } from '../connection/statements.ts';

/** Maximum characters of a stored text, so that a row fits into a line of a backup. */
const MAX_TEXT = 1_000_000;
/** Number of leading characters whose words are indexed: the words of a row may take at most one megabyte. */
const MAX_SEARCHED = 200_000;

/** Rows of earlier versions have one meeting. */
const MEETING_IDS = `coalesce(t.meeting_ids, array_remove(array[t.meeting_id], null))`;

const DOCUMENT = columnList({
  sha256: 't.sha256',
  bytes: 't.bytes',
  mediaType: 't.media_type',
  agenda: 't.agenda',
  readingVersion: 't.reading_version',
  recordIds: 't.record_ids::text[]',
  meetingIds: `${MEETING_IDS}::text[]`,
  etag: 'a.etag',
  lastModified: 'a.last_modified',
  checkedAt: 'a.checked_at',
});

type Row = Omit<StoredDocument, 'validator'> & { readonly etag: string | null; readonly lastModified: string | null };

const fromRow = ({ etag, lastModified, ...stored }: Row): StoredDocument => ({
  ...stored,
  validator: { ...(etag !== null && { etag }), ...(lastModified !== null && { lastModified }) },
});

export function createStoredDocuments(transactor: Transactor): StoredDocuments {
  const { all, run, first } = statementsIn(transactor);
  return {
    async find(address) {
      const row = await first<Row>(sql`select ${DOCUMENT} from civic.document_addresses a
        join civic.document_texts t using (sha256) where a.address = ${address}`);
      return row === null ? null : fromRow(row);
    },
    put: (address, { sha256, bytes, mediaType, text, agenda, readingVersion, validator, checkedAt }) =>
      transactor.transaction(async (transaction) => {
        const within = statementsIn(transaction);
        const stored = beginningOf(text, MAX_TEXT);
        await within.run(sql`insert into civic.document_texts as t
          (sha256, bytes, media_type, text, agenda, reading_version, words)
          values (${sha256}, ${bytes}, ${mediaType}, ${stored}, ${JSON.stringify(agenda)}::jsonb, ${readingVersion},
            to_tsvector('pg_catalog.english', ${beginningOf(stored, MAX_SEARCHED)}))
          on conflict (sha256) do update set text = excluded.text, agenda = excluded.agenda, words = excluded.words,
            media_type = excluded.media_type, reading_version = excluded.reading_version`);
        const before = await within.first<{ sha256: string }>(sql`select sha256 from civic.document_addresses
          where address = ${address} for update`);
        await within.run(sql`insert into civic.document_addresses (address, sha256, etag, last_modified, checked_at)
          values (${address}, ${sha256}, ${validator.etag ?? null}, ${validator.lastModified ?? null}, ${checkedAt})
          on conflict (address) do update set sha256 = excluded.sha256, etag = excluded.etag,
            last_modified = excluded.last_modified, checked_at = excluded.checked_at`);
        if (before === null || before.sha256 === sha256) return;
        // The meetings of the other addresses of that version are noted again by the next syncs.
        await within.run(sql`update civic.document_texts set meeting_ids = '{}' where sha256 = ${before.sha256}`);
        await within.run(sql`delete from civic.document_texts t where t.sha256 = ${before.sha256}
          and not exists (select from civic.document_addresses a where a.sha256 = t.sha256)`);
      }),
    async confirm(address, { validator, checkedAt }) {
      await run(sql`update civic.document_addresses set etag = ${validator.etag ?? null},
        last_modified = ${validator.lastModified ?? null}, checked_at = ${checkedAt} where address = ${address}`);
    },
    async link(sha256, { meetingId, recordIds }) {
      const ids = [meetingId, ...recordIds];
      await run(sql`update civic.document_texts t
        set record_ids = array(select distinct unnest(t.record_ids || ${ids}::uuid[])), meeting_id = ${meetingId}::uuid,
          meeting_ids = array(select distinct unnest(${verbatim(MEETING_IDS)} || ${meetingId}::uuid))
        where t.sha256 = ${sha256} and not (${verbatim(MEETING_IDS)} @> array[${meetingId}::uuid]
          and t.record_ids @> ${ids}::uuid[])`);
    },
    async forget(recordIds) {
      await run(sql`delete from civic.document_texts where record_ids && ${[...recordIds]}::uuid[]`);
    },
    texts: (after, limit) =>
      all<StoredText>(sql`select t.sha256, t.agenda, t.text, ${verbatim(MEETING_IDS)}::text[] as "meetingIds",
          (select min(a.address) from civic.document_addresses a where a.sha256 = t.sha256) as address
        from civic.document_texts t where t.sha256 > ${after} order by t.sha256 limit ${limit}`),
  };
}
