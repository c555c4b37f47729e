import type { ReportInput } from '../../src/domain/events/report-events.ts';
import { Rejection } from '../../src/domain/rejections.ts';
import { sourceUrlRefusal } from '../../src/domain/source-url.ts';

/** Refuses (`invalid_input`) what no record is kept with: half a character, U+0000, or an address that no public record has. */
export const requireStorable = (input: ReportInput): void => {
  if (!isStorable(input)) throw new Rejection('invalid_input', 'the text holds U+0000 or half a character');
  const refusal = sourceUrlRefusal(input.sourceUrl);
  if (refusal !== null) throw new Rejection('invalid_input', `sourceUrl: ${refusal}`);
};

const isStorable = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorable);
};
