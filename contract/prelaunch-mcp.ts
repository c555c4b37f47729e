import type { ClosedOperation } from './operation.ts';

const CLOSED_ROUTE = {
  path: '/api/mcp',
  tag: 'Tools',
  summary: 'Closed legacy route',
  description: 'This legacy route is closed: it answers 403 `mcp_prelaunch` whatever it is sent. It is no alias of `/api/v1/mcp`.',
  example: { parameters: {} },
  access: 'closed',
  refusals: ['mcp_prelaunch'],
} as const;

export const getPrelaunchMcp = { operationId: 'getPrelaunchMcp', method: 'GET', ...CLOSED_ROUTE } as const satisfies ClosedOperation;
export const postPrelaunchMcp = { operationId: 'postPrelaunchMcp', method: 'POST', ...CLOSED_ROUTE } as const satisfies ClosedOperation;
