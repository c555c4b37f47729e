import type { KnownReport } from '../../../queries/known-reports.ts';
import { sourceAddressKey, sourceHost } from '../../domain/source-address.ts';
import { titleKey } from '../../domain/title-words.ts';

/**
 * Whether two reports miss one and the same record: one source id at one host, or the same words at one address or of one date at one host.
 * Two ids are two records, whatever else is the same; so are two dates.
 */
export const sameRecord = ({ input: one }: KnownReport, { input: other }: KnownReport): boolean => {
  const host = sourceHost(one.sourceUrl) === sourceHost(other.sourceUrl);
  if (one.sourceRecordId !== undefined && other.sourceRecordId !== undefined) return host && one.sourceRecordId === other.sourceRecordId;
  if (titleKey(one.expectedRecord) !== titleKey(other.expectedRecord)) return false;
  if (one.recordDate !== undefined && other.recordDate !== undefined && one.recordDate !== other.recordDate) return false;
  return (
    sourceAddressKey(one.sourceUrl) === sourceAddressKey(other.sourceUrl) ||
    (host && one.recordDate !== undefined && one.recordDate === other.recordDate)
  );
};

/** Submitted earlier; of two of one moment the one with the smaller id. */
export const isOlder = (one: KnownReport, other: KnownReport): boolean =>
  one.submittedAt < other.submittedAt || (one.submittedAt === other.submittedAt && one.reportId < other.reportId);
