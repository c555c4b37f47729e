import { constants, createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MirrorRefused, type MirrorRecord, type MirrorState, type MirrorStore } from './mirror-store.ts';

/** Content of `replica.json`. Bytes of a journal beyond its length were not committed. */
interface Committed {
  readonly state: MirrorState;
  readonly journal: string | null;
  readonly bytes: number;
  readonly fresh: string | null;
  readonly freshBytes: number;
}

const NOTHING: Committed = { state: { phase: 'empty' }, journal: null, bytes: 0, fresh: null, freshBytes: 0 };

type Line = Omit<MirrorRecord, 'data'> & { readonly op: 'upsert' | 'remove'; readonly data?: unknown };

/** Opens a file of a mirror for writing. Throws `MirrorRefused` for a symbolic link: another user of the folder may have placed it. */
async function openOwn(file: string, how: number): Promise<FileHandle> {
  try {
    return await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | how);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error;
    throw new MirrorRefused(`${file} is a symbolic link, which is not followed: remove it and run the same command again`);
  }
}

/** A mirror as a folder: `replica.json` names the journal; its lines, in the form of `civic records import`, give the records in order. */
export async function openDirectoryStore(folder: string): Promise<MirrorStore> {
  const path = (name: string) => join(folder, name);
  let committed: Committed;
  try {
    await mkdir(folder, { recursive: true });
    committed = await readFile(path('replica.json'), 'utf8').then(
      (text) => JSON.parse(text) as Committed,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return NOTHING;
        throw error;
      },
    );
  } catch (error) {
    throw new MirrorRefused(`the folder ${folder} cannot be used: ${(error as Error).message}`);
  }
  let number = Number(/\d+/.exec(committed.fresh ?? committed.journal ?? '')?.[0] ?? 0);
  let file: { readonly name: string; readonly handle: FileHandle } | undefined;

  /** Truncates the journal to its committed length. */
  const writing = async (name: string, bytes: number): Promise<FileHandle> => {
    if (file?.name !== name) {
      await file?.handle.close();
      file = { name, handle: await openOwn(path(name), constants.O_APPEND) };
      await file.handle.truncate(bytes);
    }
    return file.handle;
  };
  const save = async (next: Committed): Promise<void> => {
    const temporary = await openOwn(path('replica.json.new'), constants.O_TRUNC);
    await temporary.writeFile(`${JSON.stringify(next)}\n`);
    await temporary.sync();
    await temporary.close();
    await rename(path('replica.json.new'), path('replica.json'));
    const directory = await open(folder, 'r');
    await directory.sync();
    await directory.close();
    committed = next;
  };
  return {
    state: async () => committed.state,
    async commit(commit) {
      const text = [
        ...commit.upserts.map(({ resource, id, data }) => `{"op":"upsert","resource":"${resource}","id":"${id}","data":${data}}\n`),
        ...commit.removes.map(({ resource, id }) => `{"op":"remove","resource":"${resource}","id":"${id}"}\n`),
      ].join('');
      const toFresh = commit.copy === 'begin' || committed.state.phase === 'snapshot';
      let [name, before] = toFresh ? [committed.fresh!, committed.freshBytes] : [committed.journal!, committed.bytes];
      if (commit.copy === 'begin') [name, before] = [`records-${(number += 1)}.ndjson`, 0];
      const handle = await writing(name, before);
      if (text !== '') {
        try {
          await handle.appendFile(text);
          await handle.sync();
        } catch (error) {
          // The next commit truncates a partial page.
          await file?.handle.close().catch(() => undefined);
          file = undefined;
          throw error;
        }
      }
      const after = before + Buffer.byteLength(text);
      const former = committed.journal;
      if (commit.copy === 'finish') await save({ state: commit.state, journal: name, bytes: after, fresh: null, freshBytes: 0 });
      else if (toFresh) await save({ ...committed, state: commit.state, fresh: name, freshBytes: after });
      else await save({ ...committed, state: commit.state, bytes: after });
      if (commit.copy === 'finish' && former !== null && former !== name) await rm(path(former), { force: true });
    },
    async *records() {
      const { journal, bytes } = committed;
      if (journal === null || bytes === 0) return;
      const found = new Map<string, MirrorRecord>();
      for await (const line of createInterface({ input: createReadStream(path(journal), { end: bytes - 1 }), crlfDelay: Infinity })) {
        const { op, resource, id, data } = JSON.parse(line) as Line;
        // The text of `data` as written, without serialising it again.
        const text = op === 'upsert' ? line.slice(line.indexOf(',"data":') + 8, -1) : '';
        if (op === 'upsert' && data !== undefined) found.set(`${resource} ${id}`, { resource, id, data: text });
        else found.delete(`${resource} ${id}`);
      }
      yield* found.values();
    },
    async close() {
      await file?.handle.close();
    },
  };
}
