import { CLOSED_ROUTE, closedOperation } from './operation.ts';

export const getPrelaunchMcp = closedOperation({
  operationId: 'getPrelaunchMcp',
  method: 'GET',
  path: '/api/mcp',
  tag: 'Tools',
  summary: 'Closed legacy route',
  description: CLOSED_ROUTE,
  example: { parameters: {} },
  access: 'closed',
  refusals: ['mcp_prelaunch'],
});
