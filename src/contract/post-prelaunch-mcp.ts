import { closedOperation } from './operation.ts';

export const postPrelaunchMcp = closedOperation({
  operationId: 'postPrelaunchMcp',
  method: 'POST',
  path: '/api/mcp',
  access: 'closed',
  refusals: ['mcp_prelaunch'],
});
