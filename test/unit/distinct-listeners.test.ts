import { expect, test } from 'vitest';
import { requireDistinctListeners } from '../../src/app/serving/ops-listener.ts';
import { readSettings } from '../../src/app/settings.ts';

const require = (environment: Record<string, string | undefined>) => () =>
  requireDistinctListeners(readSettings(environment).settings);

test.each([
  { CIVIC_HTTP_PORT: '9464' },
  { CIVIC_OPS_PORT: '8080' },
  { CIVIC_HTTP_PORT: '9464', CIVIC_HTTP_HOST: '0.0.0.0' },
  { CIVIC_HTTP_PORT: '9464', CIVIC_OPS_HOST: '::' },
  { CIVIC_HTTP_PORT: '9464', CIVIC_OPS_HOST: 'localhost' },
])('%j is refused, and both settings are named', (environment) => {
  expect(require(environment)).toThrow(/CIVIC_HTTP_PORT and CIVIC_OPS_PORT are both \d+/);
});

test.each([
  {},
  { CIVIC_HTTP_PORT: '0', CIVIC_OPS_PORT: '0' },
  { CIVIC_HTTP_PORT: '9464', CIVIC_OPS_PORT: 'off' },
  { CIVIC_HTTP_PORT: '9464', CIVIC_HTTP_HOST: '192.0.2.1' },
])('%j is accepted', (environment) => {
  expect(require(environment)).not.toThrow();
});
