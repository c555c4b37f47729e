import { CLOSED_ROUTE, closedOperation } from './operation.ts';

export const postPrelaunchMcp = closedOperation({
  operationId: 'postPrelaunchMcp',
  method: 'POST',
  path: '/api/mcp',
  tag: 'Tools',
  summary: 'Closed legacy route',
  description: CLOSED_ROUTE,
  example: { parameters: {} },
  access: 'closed',
  refusals: ['mcp_prelaunch'],
});
