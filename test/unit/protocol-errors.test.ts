import { expect, test } from 'vitest';
import { PROTOCOL_ERRORS, withDataCode } from '../../src/edge/mcp/protocol-errors.ts';

test('the message of a defect says only that it is a defect', () => {
  const error = withDataCode({
    code: PROTOCOL_ERRORS.internal,
    message: 'connect ECONNREFUSED /run/secret',
    data: { stack: 'at open' },
  });
  expect(error).toEqual({
    code: -32_603,
    message: 'the request could not be answered',
    data: { code: 'internal_error' },
  });
});

test('the message of a client error is the finding of the library on one line, with the data and the code', () => {
  const error = withDataCode({
    code: PROTOCOL_ERRORS.invalidParams,
    message: 'Invalid request: [\n {"path"',
    data: { envelope: 1 },
  });
  expect(error).toEqual({
    code: -32_602,
    message: 'Invalid request',
    data: { code: 'invalid_parameter', envelope: 1 },
  });
});

test('the message for invalid params names the place and the first finding', () => {
  const message =
    'Invalid tools/call request: ZodError: [{"code":"x","path":["params","name"],"message":"expected string"}]';
  expect(withDataCode({ code: PROTOCOL_ERRORS.invalidParams, message }).message).toBe('params.name: expected string');
});
