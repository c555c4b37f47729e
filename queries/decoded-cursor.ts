import type { CursorDamage } from '../domain/cursor.ts';
import { Rejection } from '../domain/rejections.ts';

/** A decoded cursor. Refuses with 400 a text that was none; `kind` names what was expected. */
export function decodedCursor<Cursor extends object>(cursor: Cursor | CursorDamage, kind: string): Cursor {
  if (typeof cursor !== 'string') return cursor;
  throw new Rejection(
    'invalid_parameter',
    cursor === 'damaged' ? `cursor does not decode; it must be ${kind}, as an answer gave it` : `cursor is of another kind than ${kind}`,
  );
}
