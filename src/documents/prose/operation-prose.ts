import type { OperationId } from '../../contract/operations.ts';
import { FEED_PROSE } from './feed-prose.ts';
import type { Prose } from './prose.ts';
import { PUBLIC_PROSE } from './public-prose.ts';
import { REPORT_PROSE } from './report-prose.ts';

export const PROSE: Readonly<Record<OperationId, Prose>> = { ...PUBLIC_PROSE, ...FEED_PROSE, ...REPORT_PROSE };
