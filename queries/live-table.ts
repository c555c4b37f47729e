import { type IdentifierSqlToken, sql, type FragmentSqlToken } from 'slonik';
import { z } from 'zod';

/** A table of a live generation for slonik's tag, with the condition that fails the statement once the generation is no longer live. */
export const liveTable = (
  projection: string,
  generation: number,
  fullName: (generation: number) => string,
): { readonly name: IdentifierSqlToken; readonly isLive: FragmentSqlToken } => ({
  name: sql.identifier(fullName(generation).split('.')),
  isLive: sql.fragment`(select civic.require_live(${projection}, ${generation}))`,
});

/** A column of milliseconds since the epoch, as ISO 8601 in UTC; whether the driver gives numbers or text. */
export const isTime = z.coerce.number().transform((milliseconds) => new Date(milliseconds).toISOString());
