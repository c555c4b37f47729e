import { expect, test } from 'vitest';
import { explain } from '../../infra/postgresql/schema-state.ts';

test('a server that takes no more connections is told from one that cannot be reached', () => {
  const error = Object.assign(new Error('sorry, too many clients already'), { code: '53300', severity: 'FATAL' });
  expect(String(explain(error, 'postgres://me:s3cret@db:5432/civic'))).toBe(
    'DatabaseRefused: the database db:5432/civic takes no more connections; raise max_connections there, about twenty-five for each process, or run fewer',
  );
});
