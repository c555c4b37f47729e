import { derivedId } from '../domain/identifiers.ts';
import type { ClientCounts, ClientLimit } from '../domain/ports/client-counts.ts';
import { Rejection } from '../domain/rejections.ts';

/** The report operations' own limit of each client address, before anybody is asked who they are (specification, section Limits). */
export interface ReportClients {
  /** Counts a request or throws `rate_limited`; `authentication_unavailable` where it cannot be counted. `now` is clock milliseconds. */
  admit(operationId: string, address: string, now: number): Promise<void>;
}

export const createReportClients = (parts: {
  readonly counts: ClientCounts;
  readonly limit: ClientLimit;
  /** The cause of a 503, which the caller is not told. */
  readonly onFailure: (error: unknown) => void;
}): ReportClients => ({
  async admit(operationId, address, now) {
    let retryAfterSeconds: number | null;
    try {
      retryAfterSeconds = await parts.counts.take(derivedId('report client', operationId, address), parts.limit, now);
    } catch (error) {
      parts.onFailure(error);
      throw new Rejection('authentication_unavailable', 'the limit of this address could not be looked up; try again later');
    }
    if (retryAfterSeconds !== null) throw new Rejection('rate_limited', 'too many requests from this address; wait', { retryAfterSeconds });
  },
});
