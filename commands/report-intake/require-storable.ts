import type { ReportInput } from '../../src/domain/events/report-events.ts';
import { Rejection } from '../../src/domain/rejections.ts';
import { sourceUrlRefusal } from '../../src/domain/source-url.ts';
import { notStorable } from '../../src/domain/storable-text.ts';

/** Refuses (`invalid_input`) what no record is kept with: text that is not kept anywhere, or an address that no public record has. */
export const requireStorable = (token: string, input: ReportInput): void => {
  for (const text of textsIn([token, input])) {
    const reason = notStorable(text);
    if (reason !== null) throw new Rejection('invalid_input', reason);
  }
  const refusal = sourceUrlRefusal(input.sourceUrl);
  if (refusal !== null) throw new Rejection('invalid_input', `sourceUrl: ${refusal}`);
};

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};
