import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDirectoryStore } from '../../client/mirror/directory-store.ts';
import { MirrorRefused, type MirrorCommit } from '../../client/mirror/mirror-store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'civic-mirror-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each(['records-1.ndjson', 'replica.json.new'])(
  'a mirror does not write through a symbolic link at %s',
  async (name) => {
    const target = join(folder, 'target');
    writeFileSync(target, 'precious');
    symlinkSync(target, join(folder, name));
    const store = await openDirectoryStore(folder);
    const begin: MirrorCommit = {
      copy: 'begin',
      state: { phase: 'empty' },
      upserts: [{ resource: 'topics', id: '00000000-0000-4000-8000-000000000001', data: '{}' }],
      removes: [],
    };
    const refusal = await store.commit(begin).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(MirrorRefused);
    expect((refusal as Error).message).toContain(`${name} is a symbolic link`);
    expect(readFileSync(target, 'utf8')).toBe('precious');
    await store.close();
  },
);
