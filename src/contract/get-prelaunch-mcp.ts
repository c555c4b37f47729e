import { closedOperation } from './operation.ts';

export const getPrelaunchMcp = closedOperation({
  operationId: 'getPrelaunchMcp',
  method: 'GET',
  path: '/api/mcp',
  access: 'closed',
  refusals: ['mcp_prelaunch'],
});
