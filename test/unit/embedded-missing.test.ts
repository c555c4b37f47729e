import { expect, test } from 'vitest';
import { requireInstalled } from '../../infra/embedded-postgresql/launch-plan.ts';

test('without the packages of the embedded PostgreSQL, as in the image, the refusal names DATABASE_URL first', () => {
  expect(() => requireInstalled('linux-riscv64')).toThrow(
    /^DATABASE_URL is not set, and no embedded PostgreSQL for linux-riscv64 is installed: set DATABASE_URL to /,
  );
});
