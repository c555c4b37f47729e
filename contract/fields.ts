import { z } from 'zod';
import { MAX_CURSOR_LENGTH } from '../domain/cursor.ts';
import { RECORD_SCHEMAS, type Resource, RESOURCES } from '../domain/records/resources.ts';
import { uuid } from '../domain/records/fields.ts';

declare module 'zod' {
  interface GlobalMeta {
    /** The description in the documents of a parameter that the schema parses from text. */
    wire?: Readonly<Record<string, unknown>>;
  }
}

export const resourceName = z.enum(RESOURCES);

export const cursor = z.string().min(1).max(MAX_CURSOR_LENGTH);

export const PAGE_CEILING = 500;
export const DEFAULT_PAGE_SIZE = 100;

/** Decimal text of a whole number from 1. A number above a cap is reduced to the cap. */
export const clampedWholeNumber = (max: number) =>
  z
    .string()
    .regex(/^[1-9][0-9]*$/, { error: 'must be a whole number of at least 1' })
    .transform((text) => Math.min(Number(text), max));

/** Page size; the handler clamps it further, to the account's cap. */
export const limit = clampedWholeNumber(PAGE_CEILING)
  .default(DEFAULT_PAGE_SIZE)
  .meta({ wire: { type: 'integer', minimum: 1, default: DEFAULT_PAGE_SIZE } });

/** Decimal text of a whole number within bounds; anything else is refused. */
export const wholeNumber = (least: number, max: number) =>
  z
    .string()
    .regex(/^[1-9][0-9]{0,5}$/, { error: `must be a whole number from ${least} to ${max}` })
    .transform(Number)
    .pipe(z.number().min(least).max(max))
    .meta({ wire: { type: 'integer', minimum: least, maximum: max } });

/** A name; the query checks whether it exists. */
export const named = z.string().min(1);

export const noQuery = z.strictObject({});

/** UTC, ends in Z. */
export const timestamp = z.iso.datetime();

const common = { id: uuid, createdAt: timestamp, updatedAt: timestamp };

/** The public form of a record's `data`, by resource. */
export const RECORD_DATA = Object.fromEntries(
  RESOURCES.map((resource) => [resource, RECORD_SCHEMAS[resource].extend(common)]),
) as unknown as {
  readonly [R in Resource]: (typeof RECORD_SCHEMAS)[R] extends z.ZodObject<infer Shape> ? z.ZodObject<Shape & typeof common> : never;
};

/** One schema for each resource, in the order of the resources. */
export const perResource = <Schema extends z.ZodType>(make: (resource: Resource) => Schema): [Schema, ...Schema[]] =>
  RESOURCES.map(make) as [Schema, ...Schema[]];
