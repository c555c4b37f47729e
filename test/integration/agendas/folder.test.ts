import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legistarFolderReader } from '../../../infra/legistar/folder-client.ts';
import { SourceUnavailable, UnknownSourceClient } from '../../../domain/ports/source-ports.ts';

let directory: string;
const reader = () => legistarFolderReader({ directory, client: 'example' });
const record = (name: string, text: string) => writeFile(path.join(directory, 'example', name), text);

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'legistar-folder-'));
  await mkdir(path.join(directory, 'example', 'eventitems'), { recursive: true });
});

afterEach(() => rm(directory, { recursive: true }));

describe('a folder of recordings', () => {
  it('without the client is an unknown client', async () => {
    await expect(reader().bodies()).rejects.toThrow(UnknownSourceClient);
  });

  it('treats a missing, broken or malformed file as a failed read, never as an empty list', async () => {
    await record('events.json', '[{"EventId": 1,');
    await expect(reader().events(null)).rejects.toThrow(SourceUnavailable);
    await record('events.json', '{"value": []}');
    await expect(reader().events(null)).rejects.toThrow('events.json is not a list');
    await expect(reader().eventItems(1)).rejects.toThrow('1.json is missing');
  });

  it('gives the events since a date, and one event or none by id', async () => {
    const rows = [
      { EventId: 1, EventDate: '2026-01-01T00:00:00' },
      { EventId: 2, EventDate: '2026-03-01T00:00:00' },
      { EventId: 3, EventDate: null },
    ];
    await record('events.json', JSON.stringify(rows));
    expect(await reader().events(null)).toEqual(rows);
    expect(await reader().events('2026-03-01')).toEqual(rows.slice(1));
    expect(await reader().event(1)).toEqual(rows[0]);
    expect(await reader().event(9)).toBeNull();
  });

  it('gives the recorded votes on an item, and none where they were not recorded', async () => {
    await mkdir(path.join(directory, 'example', 'votes'));
    const votes = [{ VoteId: 1, VotePersonName: 'Member A', VoteValueName: 'Aye' }];
    await record('votes/7.json', JSON.stringify(votes));
    await record('votes/9.json', '{');
    expect(await reader().votes?.(7)).toEqual(votes);
    expect(await reader().votes?.(8)).toEqual([]);
    await expect(reader().votes?.(9)).rejects.toThrow(SourceUnavailable);
  });
});
