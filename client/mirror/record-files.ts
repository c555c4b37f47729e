import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nullIfMissing, type Progress, syncFolder } from './folder-progress.ts';
import { type JournalLine, readJournal } from './journal.ts';
import { type FileFormat, fileOf, findStaleTable, linesOf, rewriteResource } from './mirror-files.ts';
import { type MirrorRecord, MirrorRefused } from './mirror-store.ts';
import { MIRROR_TABLES } from './mirror-tables.ts';

/** Resolves to the size in bytes; null if there is no such file. */
const readSize = (file: string): Promise<number | null> => stat(file).then(({ size }) => size, nullIfMissing);

/** Number of the last line of the journal about each record, by resource and id. It overrides the earlier lines. */
type LastLines = ReadonlyMap<string, ReadonlyMap<string, number>>;

async function findLastLines(journal: Iterable<JournalLine> | AsyncIterable<JournalLine>): Promise<LastLines> {
  const last = new Map<string, Map<string, number>>();
  let line = 0;
  for await (const { resource, id } of journal) {
    line += 1;
    const lines = last.get(resource);
    if (lines === undefined) last.set(resource, new Map([[id, line]]));
    else lines.set(id, line);
  }
  return last;
}

/** Reads and rewrites the files of the resources; a journal has the changes that the files lack. */
export function openRecordFiles(
  folder: string,
  { mirrored, format }: { readonly mirrored: readonly string[]; readonly format: FileFormat },
  progress: Progress,
) {
  const path = (name: string) => join(folder, name);
  const filed = () => progress.committed.resources ?? Object.keys(MIRROR_TABLES);
  function journal(): AsyncIterable<JournalLine> | readonly JournalLine[] {
    const { journal: name, bytes } = progress.committed;
    return name === null ? [] : readJournal(path(name), bytes);
  }
  const recordsFile = (resource: string) => path(fileOf(resource, 'ndjson'));
  /** Throws `MirrorRefused` if a file of records is missing or was cut off: its missing records would count as removed. */
  async function requireFiles(): Promise<void> {
    const { whole } = progress.committed;
    const sizes = progress.committed.sizes ?? {};
    if (whole) return;
    for (const resource of filed()) {
      const size = await readSize(recordsFile(resource));
      const expected = sizes[resource] ?? size;
      if (size !== null && size === expected) continue;
      const difference = size === null ? 'is missing' : `has ${size} bytes, but the mirror wrote ${expected}`;
      throw new MirrorRefused(
        `${recordsFile(resource)} ${difference}: put it back, or run the same command with --new-snapshot to write every file again`,
      );
    }
  }
  /** Yields the records whose last line in the journal is an upsert. Reads the journal again, because it might not fit into memory. */
  async function* readJournalRecords(last: LastLines): AsyncIterable<MirrorRecord> {
    let line = 0;
    for await (const { resource, id, data } of journal()) {
      line += 1;
      if (data !== null && last.get(resource)!.get(id) === line) yield { resource, id, data };
    }
  }
  /** Yields the records of a file that the journal does not mention. */
  async function* readFiledRecords(
    resource: string,
    sizes: ReadonlyMap<string, number> | undefined,
  ): AsyncIterable<MirrorRecord> {
    for await (const data of linesOf(recordsFile(resource))) {
      const { id } = JSON.parse(data) as { id: string };
      if (sizes?.has(id) !== true) yield { resource, id, data };
    }
  }
  /** Writes a new file for each resource of the journal, and for every resource if `isAll`. Returns their names. */
  async function rewriteFiles(isAll: boolean): Promise<readonly string[]> {
    const { whole } = progress.committed;
    const former = new Set(filed());
    const last = await findLastLines(journal());
    const files = new Map<string, Awaited<ReturnType<typeof rewriteResource>>>();
    try {
      for (const resource of new Set([...last.keys(), ...(isAll ? [...mirrored, ...former] : [])])) {
        const rewritten = await rewriteResource(path, resource, format);
        files.set(resource, rewritten);
        if (whole || !former.has(resource)) continue;
        for await (const { data } of readFiledRecords(resource, last.get(resource))) await rewritten.add(data);
      }
      for await (const { resource, data } of readJournalRecords(last)) await files.get(resource)!.add(data);
      for (const rewritten of files.values()) await rewritten.finish();
    } finally {
      for (const rewritten of files.values()) await rewritten.close();
    }
    return whole ? [...files.keys()] : [...new Set([...former, ...files.keys()])];
  }
  /** Applies the changes of the journal to the files. */
  async function rewrite(): Promise<void> {
    await progress.requireAlone();
    await requireFiles();
    const { whole, journal: merged } = progress.committed;
    // If the process is killed, the next start accepts the files although some were already rewritten.
    await progress.save({ ...progress.committed, sizes: undefined });
    const resources = await rewriteFiles(whole === true || format !== progress.committed.format);
    await syncFolder(folder);
    const sizes = Object.fromEntries(
      await Promise.all(resources.map(async (each) => [each, (await stat(recordsFile(each))).size] as const)),
    );
    await progress.save({ ...progress.committed, journal: null, bytes: 0, whole: false, format, resources, sizes });
    if (merged !== null) await rm(path(merged), { force: true });
  }
  async function* records(): AsyncIterable<MirrorRecord> {
    const last = await findLastLines(journal());
    if (!progress.committed.whole) {
      await requireFiles();
      for (const resource of filed()) yield* readFiledRecords(resource, last.get(resource));
    }
    yield* readJournalRecords(last);
  }
  /** Looks at the CSV tables, once the journal is empty. */
  async function findStale(resource: string): Promise<string | null> {
    const { format: written, journal: pending, whole } = progress.committed;
    if (written !== 'csv' || pending !== null || whole || !filed().includes(resource)) return null;
    return findStaleTable(path, resource);
  }
  return { requireFiles, rewrite, records, findStale };
}
