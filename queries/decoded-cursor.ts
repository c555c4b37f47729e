import type { CursorDamage } from '../domain/cursor.ts';
import { Rejection } from '../domain/rejections.ts';

/** Returns a decoded cursor. Throws a rejection with 400 if the text was not one; `kind` names what was expected. */
export function decodedCursor<Cursor extends object>(cursor: Cursor | CursorDamage, kind: string): Cursor {
  if (typeof cursor !== 'string') return cursor;
  throw new Rejection(
    'invalid_parameter',
    cursor === 'damaged'
      ? `cursor does not decode; it must be ${kind}, unchanged from a response`
      : `cursor is not ${kind}`,
  );
}
