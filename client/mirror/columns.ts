export type ColumnType = 'uuid' | 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'timestamp' | 'json';

export interface MirrorColumn {
  /** Name of the field in a record's `data`. */
  readonly field: string;
  readonly type: ColumnType;
  /** Table whose `id` the column contains. The feed does not guarantee that the row exists. */
  readonly references?: string;
}

export type MirrorTables = Readonly<Record<string, readonly MirrorColumn[]>>;

/** Converts `publicBodyId` to `public_body_id`. */
export const columnName = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const columnNames = (columns: readonly MirrorColumn[]): readonly string[] =>
  columns.map(({ field }) => columnName(field));

/** Fields that the full-text search reads. Tables without an entry have none. */
export const SEARCHED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  topics: ['name', 'publicLabel', 'description'],
  meetings: ['title', 'location'],
  agenda_items: ['title', 'text', 'matterFile', 'matterName', 'actionText'],
  agenda_hits: ['summary', 'businessImpact', 'evidenceQuote'],
  documents: ['title'],
  stream_records: ['title', 'summary', 'address'],
};

/** Columns with an index: references, slugs, and times other than `createdAt`. */
export const indexedFields = (columns: readonly MirrorColumn[]): readonly string[] =>
  columns
    .filter(
      ({ field, type, references }) =>
        references !== undefined ||
        field === 'slug' ||
        ((type === 'timestamp' || type === 'date') && field !== 'createdAt'),
    )
    .map(({ field }) => field);
