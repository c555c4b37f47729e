import { z } from 'zod';
import { type CursorDamage, cursorPayload, cursorText } from './cursor.ts';

/** In characters. */
export const MAX_COVERAGE_CURSOR_LENGTH = 4096;

/** The filters of a coverage cursor, besides the catalogue. Null: not filtered. */
export interface CoverageBinding {
  readonly jurisdictionSlug: string | null;
  readonly county: string | null;
  readonly family: string | null;
  readonly includeInactive: boolean;
  readonly limit: number;
}

export interface CoverageCursor {
  readonly catalogVersion: string;
  readonly binding: CoverageBinding;
  /** Matching jurisdictions on the pages before, at least one. */
  readonly offset: number;
}

const filter = z.string().nullable();
const payload = z.tuple([z.string(), filter, filter, filter, z.boolean(), z.int().min(1), z.int().min(1)]);

export function encodeCoverageCursor({ catalogVersion, binding, offset }: CoverageCursor): string {
  const { jurisdictionSlug, county, family, includeInactive, limit } = binding;
  const values: z.input<typeof payload> = [catalogVersion, jurisdictionSlug, county, family, includeInactive, limit, offset];
  return cursorText('coverage', Buffer.from(JSON.stringify(values), 'utf8'));
}

/** The cursor, or why the text is none. Never throws; whether binding, version and offset fit is the reader's question. */
export function decodeCoverageCursor(text: string): CoverageCursor | CursorDamage {
  const bytes = cursorPayload('coverage', text, MAX_COVERAGE_CURSOR_LENGTH);
  if (typeof bytes === 'string') return bytes;
  const values = payload.safeParse(parsed(bytes.toString('utf8')));
  if (!values.success) return 'damaged';
  const [catalogVersion, jurisdictionSlug, county, family, includeInactive, limit, offset] = values.data;
  const cursor = { catalogVersion, binding: { jurisdictionSlug, county, family, includeInactive, limit }, offset };
  // JSON has many texts for one value; a cursor has one.
  return encodeCoverageCursor(cursor) === text ? cursor : 'damaged';
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
