import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Committed, openFolder, trackProgress } from './folder-progress.ts';
import { createJournalWriter, formatCommit } from './journal.ts';
import type { FileFormat } from './mirror-files.ts';
import { MIRROR_TABLES } from './mirror-tables.ts';
import { type MirrorCommit, MirrorRefused, type MirrorStore, unusable } from './mirror-store.ts';
import { openRecordFiles } from './record-files.ts';
import { createRewritingPace } from './rewriting-pace.ts';

/** Wraps system errors, which do not name the file, in an error that names the folder. */
const nameFolderInErrors =
  <Input>(folder: string, work: (input: Input) => Promise<void>) =>
  (input: Input): Promise<void> =>
    work(input).catch((error: NodeJS.ErrnoException) => {
      if (error.code === undefined || error.path !== undefined) throw error;
      throw new MirrorRefused(`the folder ${folder} cannot be written: ${error.message}`, { cause: error });
    });

/** Returns the journal that a commit extends and the bytes that were committed to it. Null is a journal to create. */
function journalOf(
  { copy }: MirrorCommit,
  committed: Committed,
): { readonly name: string | null; readonly bytes: number } {
  if (copy === 'begin') return { name: null, bytes: 0 };
  return committed.state.phase === 'snapshot'
    ? { name: committed.fresh, bytes: committed.freshBytes }
    : { name: committed.journal, bytes: committed.bytes };
}

/** Returns the progress after a commit that ends at these bytes of a journal. */
function advance(committed: Committed, { state, copy }: MirrorCommit, name: string, bytes: number): Committed {
  if (copy === 'finish') return { ...committed, state, journal: name, bytes, fresh: null, freshBytes: 0, whole: true };
  if (copy === 'begin' || committed.state.phase === 'snapshot')
    return { ...committed, state, fresh: name, freshBytes: bytes };
  return { ...committed, state, journal: name, bytes };
}

/**
 * Opens a mirror in a folder: one file for each mirrored resource, with one line per record. `replica.json` names a journal of the changes that
 * the files lack; `tidy` applies them and replaces each file atomically.
 */
export async function openDirectoryStore(
  folder: string,
  requestedFormat: FileFormat | null = null,
  resource: string | null = null,
): Promise<MirrorStore> {
  const opened = await openFolder(folder).catch((error: unknown) => {
    throw unusable(`the folder ${folder}`, error);
  });
  const format = requestedFormat ?? opened.committed.format ?? 'ndjson';
  const progress = trackProgress(folder, opened);
  const writer = createJournalWriter(folder);
  const mirrored = resource === null ? Object.keys(MIRROR_TABLES) : [resource];
  const files = openRecordFiles(folder, { mirrored, format }, progress);
  const pace = createRewritingPace();
  let number = Number(/\d+/.exec(opened.committed.fresh ?? opened.committed.journal ?? '')?.[0] ?? 0);
  async function commitPage(commit: MirrorCommit): Promise<void> {
    await progress.requireAlone();
    const { committed } = progress;
    const text = formatCommit(commit);
    const former = journalOf(commit, committed);
    const name = former.name ?? `records-${(number += 1)}.ndjson`;
    await writer.append(name, former.bytes, text);
    await progress.save(advance(committed, commit, name, former.bytes + Buffer.byteLength(text)));
    const replaced = { begin: committed.fresh, finish: committed.journal, none: null }[commit.copy ?? 'none'];
    if (replaced !== null && replaced !== name) await rm(join(folder, replaced), { force: true });
  }
  return {
    async state() {
      const { state } = progress.committed;
      if (state.phase === 'changes') await files.requireFiles();
      return state;
    },
    commit: nameFolderInErrors(folder, commitPage),
    records: files.records,
    findStale: files.findStale,
    tidy: nameFolderInErrors(folder, async (now: boolean) => {
      if (progress.committed.journal === null && progress.committed.format === format) return;
      await pace(now, async () => {
        await writer.close();
        await files.rewrite();
      });
    }),
    async close() {
      await writer.close();
      await opened.unlock();
    },
  };
}
