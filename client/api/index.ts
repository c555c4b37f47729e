import { type Operations, operationsOver } from './operations.ts';
import { type Pages, pagesOver } from './pages.ts';
import { type CallTool, toolsOver } from './tools.ts';
import { type ClientSettings, createTransport } from './transport.ts';

export type * from '../generated/contract.ts';
export type { ErrorCode, Tools } from '../generated/operations.ts';
export { CivicError, type ClientErrorCode } from './errors.ts';
export type { Answer, Input, OperationId, Operations } from './operations.ts';
export type { ChangeOf, ChangesAsked, Limited, Pages, RecordOf, SearchAsked, SnapshotAsked } from './pages.ts';
export type { CallTool } from './tools.ts';
export type { CallOptions, ClientSettings } from './transport.ts';

/** The operations of the service, iterators over their pages, and its tools. */
export interface CivicClient extends Operations, Pages {
  readonly callTool: CallTool;
}

/** Creates a client for one service, with or without a key. Throws `TypeError` for an invalid address or key. */
export function createCivicClient(settings: ClientSettings): CivicClient {
  const transport = createTransport(settings);
  const operations = operationsOver(transport);
  const callTool = toolsOver(operations);
  return { ...operations, ...pagesOver(operations, callTool, transport), callTool };
}
