import { expect, test } from 'vitest';
import { PROTOCOL_ERRORS, withDataCode } from '../../src/edge/mcp/protocol-errors.ts';

test('of a defect a protocol error says nothing but that it is one', () => {
  const error = withDataCode({ code: PROTOCOL_ERRORS.internal, message: 'connect ECONNREFUSED /run/secret', data: { stack: 'at open' } });
  expect(error).toEqual({ code: -32_603, message: 'the request could not be answered', data: { code: 'internal_error' } });
});

test('of a mistake it says what the library found, on one line, and keeps the data beside the code', () => {
  const error = withDataCode({ code: PROTOCOL_ERRORS.invalidParams, message: 'Invalid request: [\n {"path"', data: { envelope: 1 } });
  expect(error).toEqual({ code: -32_602, message: 'Invalid request', data: { code: 'invalid_parameter', envelope: 1 } });
});

test('of params that a schema refuses it says where and what the first finding is', () => {
  const message = 'Invalid tools/call request: ZodError: [{"code":"x","path":["params","name"],"message":"expected string"}]';
  expect(withDataCode({ code: PROTOCOL_ERRORS.invalidParams, message }).message).toBe('params.name: expected string');
});
