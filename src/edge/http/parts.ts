import type { ServerResponse } from 'node:http';
import type { Identifiers } from '../../../domain/identifiers.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { Tracing } from '../../../domain/ports/tracing.ts';
import type { FeedReads } from '../admission/feed-reads.ts';
import type { Admission } from '../admission/admit.ts';
import type { PublicLimits } from '../admission/public-limits.ts';
import type { ReportClients } from '../admission/report-clients.ts';
import type { CustomerAnswers, PublicAnswers } from '../answers/exchange.ts';
import type { DocumentRoute } from '../documents/document-routes.ts';
import type { ToolRunnerParts } from '../mcp/run-tool.ts';
import type { HttpMetrics } from '../metrics/http-metrics.ts';
import type { PageReads } from '../pages/page-reads.ts';
import type { ConnectionsParts } from './connections.ts';

export interface HttpServerParts extends ConnectionsParts {
  readonly operations: CustomerAnswers;
  readonly publicOperations: PublicAnswers;
  readonly tools: Omit<ToolRunnerParts, 'clock' | 'logger' | 'metrics'>;
  readonly documents: (baseUrl: () => string) => readonly DocumentRoute[];
  readonly pages: PageReads;
  readonly admission: Admission;
  /** Records the feed reads of keys whose requests were admitted and answered. */
  readonly feedReads: Pick<FeedReads, 'read'>;
  readonly publicLimits: PublicLimits;
  readonly reportClients: ReportClients;
  /** Returns any text that changes with the position of the read model behind the public answers. */
  readonly readPosition: () => Promise<string>;
  /**
   * The public address of the service, without a trailing slash. Defaults to the address that the server listens on.
   */
  readonly baseUrl?: string | undefined;
  /** Origins whose pages may call the tools, besides the service's own, as browsers write them. */
  readonly allowedOrigins: readonly string[];
  /** Origins whose pages may read public answers and documents; `*` is every page. */
  readonly publicOrigins: readonly string[];
  readonly clock: Clock;
  /** Milliseconds since an arbitrary start, for durations. */
  readonly stopwatch: () => number;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
  readonly metrics: HttpMetrics;
  readonly tracing?: Tracing | null;
  /** Only in a sandbox: might disturb the answer to a request. The name is that of its operation, or `none`. */
  readonly disturb?: ((operationId: string, answer: ServerResponse) => void) | undefined;
  /** One in n successful answers is logged. Refusals and failures are all logged, up to a number per second. */
  readonly logSampleEvery: number;
}

export type RouteParts = Omit<HttpServerParts, 'baseUrl'> & { readonly baseUrl: () => string };
