import { expect, test } from 'vitest';
import { WritesRefused } from '../../domain/ports/database.ts';
import { mapError } from '../../infra/postgresql/connection/errors.ts';
import { explain } from '../../infra/postgresql/connection/schema-state.ts';

test('a server without free connections is distinguished from an unreachable one', () => {
  const error = Object.assign(new Error('sorry, too many clients already'), { code: '53300', severity: 'FATAL' });
  expect(String(explain(error, 'postgres://me:s3cret@db:5432/civic'))).toBe(
    'DatabaseRefused: the database db:5432/civic accepts no more connections; raise its max_connections (about twenty-five per process), or run fewer processes',
  );
});

test('a server with a full disk is distinguished from an unreachable one', () => {
  const error = Object.assign(new Error('could not write init file'), { code: '53100', severity: 'FATAL' });
  expect(String(explain(error, 'postgres://me:s3cret@db:5432/civic'))).toBe(
    'DatabaseRefused: the disk of the database db:5432/civic is full; free some space there',
  );
  expect(mapError(error)).toBeInstanceOf(WritesRefused);
});

test('a server that became read-only is reported as such at the start and while the service runs', () => {
  const error = Object.assign(new Error('cannot execute INSERT in a read-only transaction'), {
    code: '25006',
    severity: 'ERROR',
  });
  const words = 'is read-only: it is a standby, or its transactions are read-only; name the primary in DATABASE_URL';
  expect(String(explain(error, 'postgres://me:s3cret@db:5432/civic'))).toBe(
    `DatabaseRefused: the database db:5432/civic ${words}`,
  );
  expect(String(mapError(error))).toBe(`DatabaseUnavailable: the database ${words}`);
});

test('a database that cannot be reached is reported with its reason, and without a part of a password that was taken for a host', () => {
  const errorText = (code: string, message: string) => String(mapError(Object.assign(new Error(message), { code })));
  const prefix = 'DatabaseUnavailable: the database could not be reached, or went away: ';
  expect(errorText('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432')).toBe(
    `${prefix}connect ECONNREFUSED 127.0.0.1:5432`,
  );
  expect(errorText('ECONNREFUSED', '')).toBe(`${prefix}ECONNREFUSED`);
  expect(errorText('ENOTFOUND', 'getaddrinfo ENOTFOUND s3cret')).toBe(`${prefix}ENOTFOUND`);
  expect(errorText('EAI_AGAIN', 'getaddrinfo EAI_AGAIN s3cret')).toBe(`${prefix}EAI_AGAIN`);
});
