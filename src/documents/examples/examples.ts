import type { OperationId } from '../../contract/operations.ts';
import { FEED_EXAMPLES } from './feed-examples.ts';
import type { OperationExamples } from './operation-examples.ts';
import { PUBLIC_EXAMPLES } from './public-examples.ts';
import { REPORT_EXAMPLES } from './report-examples.ts';

export const EXAMPLES: Readonly<Record<OperationId, OperationExamples>> = { ...PUBLIC_EXAMPLES, ...FEED_EXAMPLES, ...REPORT_EXAMPLES };
