import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { failureReason } from '../../infra/embedded-postgresql/refusal.ts';

const at = (root: string) => ({ root, cluster: `${root}/postgresql`, serverLog: `${root}/postgresql.log` });

test('a full disk is named also where it has cut the message of the server', () => {
  const cut =
    'LOG:  starting\n2026-11-28 01:00:00 UTC [1] FATAL:  could not write lock file "postmaster.pid": No space left o';
  expect(failureReason(cut.split('\n'), at(tmpdir()))).toContain(`the disk of ${tmpdir()} is full: free some space`);
});

/** A file system without free space. */
test.skipIf(!existsSync('/proc/self'))(
  'a full disk is named where the server left no word or a part of one (needs /proc)',
  () => {
    for (const output of [[''], ['2026-11-28 01']])
      expect(failureReason(output, at('/proc'))).toContain('the disk of /proc is full: free some space');
    expect(failureReason([''], at(tmpdir()))).toContain('it ended without a message');
  },
);

test('a cluster that other accounts may use is refused with the command that mends it', () => {
  const output = [
    'FATAL:  data directory "/data/postgresql" has invalid permissions',
    'DETAIL:  Permissions should be u=rwx (0700)',
  ];
  expect(failureReason(output, at(tmpdir()))).toContain(`run "chmod 700 ${tmpdir()}/postgresql" and start again`);
});
