import type { ClassificationSubject } from '../../domain/ports/classifier.ts';
import { plainRecord } from '../../domain/records/plain-record.ts';
import { beginningOf, isMarked, MAX_RAW, MAX_RULE_TEXT } from '../../domain/text/source-text.ts';

/** Number of entries of a list, such as the actions of an item, that are read. */
const MAX_LISTED = 100;

/**
 * Returns a value with each text cut after the length that rules read (with markup: that its decoder reads), and each
 * list after 100 entries.
 */
function boundValue(value: unknown): unknown {
  if (typeof value === 'string') return beginningOf(value, isMarked(value) ? MAX_RAW : MAX_RULE_TEXT);
  if (Array.isArray(value)) return value.slice(0, MAX_LISTED).map(boundValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, boundValue(field)]));
}

/** Returns a subject of limited size, whatever its source sends. `plainSubject` cuts texts with markup further. */
export const boundedSubject = (subject: ClassificationSubject): ClassificationSubject =>
  boundValue(subject) as ClassificationSubject;

/** Returns a subject of limited size with plain texts. */
export const plainSubject = (subject: ClassificationSubject): ClassificationSubject =>
  boundedSubject(plainRecord(boundedSubject(subject)));
