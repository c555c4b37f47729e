import { decodeFeedCursor } from '../../domain/cursor.ts';

/** The feed position of a cursor. */
export function positionOfCursor(text: string): number {
  const cursor = decodeFeedCursor(text);
  if (typeof cursor === 'string') throw new Error(`a cursor that was given out is ${cursor}`);
  return cursor.position;
}
