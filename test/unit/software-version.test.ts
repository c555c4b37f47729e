import { expect, test } from 'vitest';
import { SOFTWARE_VERSION } from '../../domain/health.ts';
import manifest from '../../package.json' with { type: 'json' };

test('the program states the version of its package', () => {
  expect(SOFTWARE_VERSION).toBe(manifest.version);
});
