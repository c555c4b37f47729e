import { z } from 'zod';
import { MAX_CURSOR_LENGTH } from '../domain/cursor.ts';
import { quoted } from '../domain/text/plain-issues.ts';
import { uuid } from '../domain/records/fields.ts';
import { RECORD_SCHEMAS, type Resource, RESOURCES } from '../domain/records/resources.ts';
import { jurisdiction, publicBody, source, startTime as recordedStartTime, topic } from '../domain/records/schemas.ts';

/** A schema with an `id` is a component of the OpenAPI document. A description that is added after the `id` belongs to the field. */
declare module 'zod' {
  interface GlobalMeta {
    /** The JSON Schema of a value that the schema parses from text. */
    wire?: Readonly<Record<string, unknown>>;
    /** The object never gets a further field; other objects of answers may. */
    closed?: true;
  }
}

/** Descriptions of fields whose schemas differ in type. */
export const MEANINGS = {
  jurisdictionSlug: 'Slug of the jurisdiction.',
  bodySlug: 'Slug of the public body.',
  topicSlug: 'Slug of the topic.',
  code: 'Code of the error, for programs.',
  message: 'Explanation for people; the wording may change.',
  error: 'The error.',
  details: 'More about the refusal; its shape may change. May carry `docs` and `recovery` (`[{operationId, hint}]`).',
  resource: 'Kind of record; null for every kind.',
  status: 'Status.',
  kind: 'Kind.',
  cursor: 'Opaque position; send it unchanged.',
  nextCursor: 'Position of the next page.',
  limit: 'Maximum number of items on a page.',
  pagination: 'Position of the page.',
  returned: 'Number of items on this page.',
} as const;

export const jurisdictionSlug = jurisdiction.shape.slug.describe(MEANINGS.jurisdictionSlug);
export const jurisdictionName = jurisdiction.shape.name.describe('Name of the jurisdiction.');
export const bodySlug = publicBody.shape.slug.describe(MEANINGS.bodySlug);
export const bodyName = publicBody.shape.name.describe('Name of the public body.');
export const topicSlug = topic.shape.slug.describe(MEANINGS.topicSlug);
export const resourceName = z.enum(RESOURCES).meta({ id: 'ResourceName' }).describe(MEANINGS.resource);
export const matching = (pattern: RegExp) => z.string().regex(pattern);
/** UTC, ends in Z. */
export const timestamp = z.iso.datetime();
export const meetingAt = timestamp.describe(
  'Start of the meeting, in UTC; the beginning of its local day if the source has no time.',
);
export const startTime = recordedStartTime
  .optional()
  .describe('Present if the source has no readable time: `meetingAt` is then the beginning of the local day.');
export const lastSuccessfulCheckAt = timestamp.describe(source.shape.lastSuccessfulCheckAt.description!);
export const id = uuid.describe('Identifier; stable.');
export const createdAt = timestamp.describe('When it was first recorded here.');
export const updatedAt = timestamp.describe('When it last changed here.');
/** Stored as null, absent in the answer. */
export const orAbsent = <Schema extends z.ZodType>(stored: z.ZodDefault<z.ZodNullable<Schema>>) =>
  stored.unwrap().unwrap().optional();
export const count = z.int().min(0);
export const cursor = z.string().min(1).max(MAX_CURSOR_LENGTH).describe(MEANINGS.cursor);
export const nextCursor = cursor.describe(MEANINGS.nextCursor);
export const hasMore = z.boolean().describe('True if more items can be read now.');

export const PAGE_CEILING = 500;

/** Page size: decimal text of a whole number from 1; a number above the cap is reduced to the cap. */
export const pageSize = (max: number, defaultSize: number) =>
  z
    .string()
    .regex(/^[1-9][0-9]*$/, {
      error: ({ input }) => `must be a whole number of at least 1; got ${quoted(String(input))}`,
    })
    .transform((text) => Math.min(Number(text), max))
    .default(defaultSize)
    .meta({ wire: { type: 'integer', minimum: 1, default: defaultSize }, description: MEANINGS.limit });

/** Page size of the feed and of exports; the handler clamps it further, to the account's cap. */
export const limit = pageSize(PAGE_CEILING, 100);

export function wholeNumber(least: number, max: number) {
  const error = ({ input }: { readonly input?: unknown }) =>
    `must be a whole number from ${least} to ${max}; got ${quoted(String(input))}`;
  return z
    .string()
    .regex(/^[1-9][0-9]{0,5}$/, { error })
    .transform(Number)
    .pipe(z.number().min(least, { error }).max(max, { error }))
    .meta({ wire: { type: 'integer', minimum: least, maximum: max } });
}

/** A name; the query checks whether it exists. */
export const nonEmptyName = z.string().min(1);
export const aliasOf = (parameter: string) =>
  nonEmptyName.describe(`Alias of \`${parameter}\`, which wins.`).optional();
export const noQuery = z.strictObject({});
export const DATA = 'The requested data.';
/** Always empty for now; present so that clients expect it. */
export const openMeta = z.looseObject({}).optional();
export const component = <Fields extends z.ZodRawShape>(name: string, fields: Fields) =>
  z.strictObject(fields).meta({ id: name });
export const itemsOf = <Item extends z.ZodType>(item: Item) => z.array(item).describe('Items of the page.');
/** A successful answer, by its name in the documents. */
export const answer = <Data extends z.ZodType>(name: string, data: Data) =>
  component(name, { data: data.describe(DATA) });
export const answerWithMeta = <Data extends z.ZodType, Meta extends z.ZodType>(name: string, data: Data, meta: Meta) =>
  component(name, { data: data.describe(DATA), meta: meta.describe('About the answer.') });

/** Converts `agenda_hits` to `AgendaHits`. */
export const pascal = (words: string): string =>
  words.replaceAll(/(?:^|[_-])([a-z])/g, (_, letter: string) => letter.toUpperCase());
/** Converts `agenda_hits` to `AgendaHit`, the name of one record in the documents. */
const recordName = (resource: Resource): string => pascal(resource).replace(/ies$/, 'y').replace(/s$/, '');

const common = { id, createdAt, updatedAt };

export const RECORD_DATA = Object.fromEntries<z.ZodObject>(
  RESOURCES.map((resource) => [resource, RECORD_SCHEMAS[resource].extend(common).meta({ id: recordName(resource) })]),
) as Readonly<Record<Resource, z.ZodObject>>;

/** One schema for each resource, in the order of the resources; `record` is the name of its records in the documents. */
export const perResource = <Schema extends z.ZodType>(
  make: (resource: Resource, record: string) => Schema,
): [Schema, ...Schema[]] => RESOURCES.map((resource) => make(resource, recordName(resource))) as [Schema, ...Schema[]];

export const recordVersion = {
  version: matching(/^[1-9][0-9]*$/).describe('Revision of the record, as decimal text.'),
  changedAt: timestamp.describe('When the change was recorded; never falls as positions rise.'),
};

export const recordOf = (resource: Resource) => ({
  resource: z.literal(resource).describe(MEANINGS.resource),
  ...recordVersion,
  data: RECORD_DATA[resource].describe(DATA),
});
