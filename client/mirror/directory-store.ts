import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { MirrorTables } from './columns.ts';
import { lockFolder } from './folder-lock.ts';
import { type FileFormat, FILE_FORMATS, fileOf, linesOf, openOwn, rewriteResource } from './mirror-files.ts';
import { MIRROR_TABLES } from './mirror-tables.ts';
import { type MirrorCommit, MirrorRefused, type MirrorRecord, type MirrorState, type MirrorStore, unusable } from './mirror-store.ts';
import { rewritingPace } from './rewriting-pace.ts';

/** Content of `replica.json`. Bytes of a journal beyond its length were not committed. */
interface Committed {
  readonly state: MirrorState;
  /** Changes that the files of the resources lack. */
  readonly journal: string | null;
  readonly bytes: number;
  /** The journal of a snapshot that is being copied. */
  readonly fresh: string | null;
  readonly freshBytes: number;
  /** Whether the journal has every record, so that the files count for nothing; absent before there were such files, when it had. */
  readonly whole?: boolean;
  /** Resources that have a file; absent before there was this list, when each that was known had one. */
  readonly resources?: readonly string[];
  readonly format?: FileFormat;
  /** By resource, bytes of the file of its records; absent while the files are being written, and before there were these numbers. */
  readonly sizes?: Readonly<Record<string, number>> | undefined;
}

const NOTHING: Committed = { state: { phase: 'empty' }, journal: null, bytes: 0, fresh: null, freshBytes: 0, resources: [] };

const JOURNAL_LINE = /^\{"op":"(upsert|remove)","resource":"([^"]+)","id":"([^"]+)"(?:,"data":(.*))?\}$/s;

interface JournalLine {
  readonly resource: string;
  readonly id: string;
  /** Null: it was removed. */
  readonly data: string | null;
}

/** A copy of a part of a line, which would keep the whole line in memory. */
const apart = (text: string): string => Buffer.from(text).toString();

async function* journalLines(file: string, bytes: number): AsyncIterable<JournalLine> {
  for await (const line of linesOf(file, bytes)) {
    const [, op, resource, id, data] = JOURNAL_LINE.exec(line) ?? [];
    if (resource === undefined || id === undefined) throw new MirrorRefused(`${file} has a line that no mirror wrote`);
    yield { resource: apart(resource), id: apart(id), data: op === 'upsert' ? (data ?? null) : null };
  }
}

async function syncFolder(folder: string): Promise<void> {
  const directory = await open(folder, 'r');
  await directory.sync();
  await directory.close();
}

function whereGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** In bytes; null where there is no such file. */
const sizeOf = (file: string): Promise<number | null> => stat(file).then(({ size }) => size, whereGone);

const progressOf = (folder: string): Promise<string | null> => readFile(join(folder, 'replica.json'), 'utf8').catch(whereGone);

/** Reads `replica.json`, and removes what a killed replicator has left. Throws `MirrorRefused` for a folder with such files of another origin. */
async function readFolder(folder: string, tables: MirrorTables) {
  const text = await progressOf(folder);
  const committed = text === null ? NOTHING : (JSON.parse(text) as Committed);
  const names = await readdir(folder);
  const own = new Set(Object.keys(tables).flatMap((resource) => FILE_FORMATS.map((format) => fileOf(resource, format))));
  const foreign = committed.whole === undefined ? names.find((name) => own.has(name)) : undefined;
  if (foreign !== undefined) throw new Error(`it has a file ${foreign} that no mirror wrote; give an empty folder`);
  if (committed !== NOTHING) {
    const journal = (name: string) => /^records-\d+\.ndjson$/.test(name) && name !== committed.journal && name !== committed.fresh;
    const left = names.filter((name) => journal(name) || (name.endsWith('.new') && own.has(name.slice(0, -'.new'.length))));
    for (const name of left) await rm(join(folder, name));
  }
  return { text, committed: { ...committed, whole: committed.whole ?? true } };
}

async function openFolder(folder: string, tables: MirrorTables) {
  await mkdir(folder, { recursive: true });
  const unlock = await lockFolder(folder);
  try {
    return { ...(await readFolder(folder, tables)), unlock };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** What is committed in a folder, as its `replica.json` has it. */
function progressIn(folder: string, opened: { readonly text: string | null; readonly committed: Committed }) {
  let { committed, text: seen } = opened;
  return {
    get committed(): Committed {
      return committed;
    },
    async requireAlone(): Promise<void> {
      if ((await progressOf(folder)) !== seen)
        throw new MirrorRefused(`another replicator has written to ${folder} meanwhile; run one at a time`);
    },
    async save(next: Committed): Promise<void> {
      const written = join(folder, 'replica.json.new');
      const temporary = await openOwn(written, constants.O_TRUNC);
      const text = `${JSON.stringify(next)}\n`;
      await temporary.writeFile(text);
      await temporary.sync();
      await temporary.close();
      await rename(written, join(folder, 'replica.json'));
      await syncFolder(folder);
      committed = next;
      seen = text;
    },
  };
}
type Progress = ReturnType<typeof progressIn>;

function journalWriter(folder: string) {
  let file: { readonly name: string; readonly handle: FileHandle } | undefined;
  async function close(): Promise<void> {
    const open = file;
    file = undefined;
    await open?.handle.close();
  }
  return {
    /** Writes after the first bytes of a journal, which are committed: where it was not open, the bytes beyond them are dropped. */
    async append(name: string, bytes: number, text: string): Promise<void> {
      if (file?.name !== name) {
        await close();
        file = { name, handle: await openOwn(join(folder, name), constants.O_APPEND) };
        await file.handle.truncate(bytes);
      }
      if (text === '') return;
      try {
        await file.handle.appendFile(text);
        await file.handle.sync();
      } catch (error) {
        // The next call truncates a partial page.
        await close().catch(() => undefined);
        throw error;
      }
    },
    close,
  };
}

/** The files of the resources, and the journal of the changes that they lack. */
function filesIn(folder: string, tables: MirrorTables, kept: readonly string[], format: FileFormat, progress: Progress) {
  const path = (name: string) => join(folder, name);
  const filed = () => progress.committed.resources ?? Object.keys(tables);
  function journal(): AsyncIterable<JournalLine> | readonly JournalLine[] {
    const { journal: name, bytes } = progress.committed;
    return name === null ? [] : journalLines(path(name), bytes);
  }
  const recordsFile = (resource: string) => path(fileOf(resource, 'ndjson'));
  /** Throws `MirrorRefused` where a file that holds records is gone or was cut off: what it lacks would count as removed. */
  async function requireFiles(): Promise<void> {
    const { whole } = progress.committed;
    const sizes = progress.committed.sizes ?? {};
    if (whole) return;
    for (const resource of filed()) {
      const size = await sizeOf(recordsFile(resource));
      const wanted = sizes[resource] ?? size;
      if (size !== null && size === wanted) continue;
      const found = size === null ? 'is missing' : `has ${size} bytes, and the mirror wrote ${wanted}`;
      throw new MirrorRefused(
        `${recordsFile(resource)} ${found}: put it back, or run the same command with --new-snapshot to write every file again`,
      );
    }
  }
  /** By resource and id, the number of the last line of each record that the journal names: what it says of the record counts. */
  async function lastLines() {
    const last = new Map<string, Map<string, number>>();
    let line = 0;
    for await (const { resource, id } of journal()) {
      line += 1;
      const of = last.get(resource);
      if (of === undefined) last.set(resource, new Map([[id, line]]));
      else of.set(id, line);
    }
    return last;
  }
  /** The records that the journal has in the end, in its order. Read again, so that it need not fit into memory. */
  async function* journalRecords(last: Awaited<ReturnType<typeof lastLines>>): AsyncIterable<MirrorRecord> {
    let line = 0;
    for await (const { resource, id, data } of journal()) {
      line += 1;
      if (data !== null && last.get(resource)!.get(id) === line) yield { resource, id, data };
    }
  }
  /** The records of a file that the journal does not name. */
  async function* filedRecords(resource: string, named: ReadonlyMap<string, number> | undefined): AsyncIterable<MirrorRecord> {
    for await (const data of linesOf(recordsFile(resource))) {
      const { id } = JSON.parse(data) as { id: string };
      if (named?.has(id) !== true) yield { resource, id, data };
    }
  }
  /** Brings the changes of the journal into the files. */
  async function rewrite(): Promise<void> {
    await progress.requireAlone();
    await requireFiles();
    const { whole, journal: merged } = progress.committed;
    const former = new Set(filed());
    // After a kill, the next start knows the files as those of the mirror, some of them written again.
    await progress.save({ ...progress.committed, sizes: undefined });
    const last = await lastLines();
    const all = whole || format !== progress.committed.format ? [...kept, ...former] : [];
    const files = new Map<string, Awaited<ReturnType<typeof rewriteResource>>>();
    try {
      for (const resource of new Set([...last.keys(), ...all])) {
        const rewritten = await rewriteResource(path, tables, resource, format);
        files.set(resource, rewritten);
        if (whole || !former.has(resource)) continue;
        for await (const { data } of filedRecords(resource, last.get(resource))) await rewritten.add(data);
      }
      for await (const { resource, data } of journalRecords(last)) await files.get(resource)!.add(data);
      for (const rewritten of files.values()) await rewritten.finish();
    } finally {
      for (const rewritten of files.values()) await rewritten.close();
    }
    await syncFolder(folder);
    const resources = whole ? [...files.keys()] : [...new Set([...former, ...files.keys()])];
    const sizes = Object.fromEntries(
      await Promise.all(resources.map(async (each) => [each, (await stat(recordsFile(each))).size] as const)),
    );
    await progress.save({ ...progress.committed, journal: null, bytes: 0, whole: false, format, resources, sizes });
    if (merged !== null) await rm(path(merged), { force: true });
  }
  async function* records(): AsyncIterable<MirrorRecord> {
    const last = await lastLines();
    if (!progress.committed.whole) {
      await requireFiles();
      for (const resource of filed()) yield* filedRecords(resource, last.get(resource));
    }
    yield* journalRecords(last);
  }
  return { requireFiles, rewrite, records };
}

/** The lines of a journal that make up a commit. */
const journalText = ({ upserts, removes }: MirrorCommit): string =>
  [
    ...upserts.map(({ resource, id, data }) => `{"op":"upsert","resource":"${resource}","id":"${id}","data":${data}}\n`),
    ...removes.map(({ resource, id }) => `{"op":"remove","resource":"${resource}","id":"${id}"}\n`),
  ].join('');

/**
 * A mirror as a folder: one file for each resource, or for the one that it mirrors, with one line for each record. `replica.json` names a journal of the changes that the files
 * lack; `tidy` brings them into the files, each of which is replaced at once.
 */
export async function openDirectoryStore(
  folder: string,
  asked: FileFormat | null = null,
  resource: string | null = null,
  tables: MirrorTables = MIRROR_TABLES,
): Promise<MirrorStore> {
  const opened = await openFolder(folder, tables).catch((error: unknown) => {
    throw unusable(`the folder ${folder}`, error);
  });
  const format = asked ?? opened.committed.format ?? 'ndjson';
  const progress = progressIn(folder, opened);
  const writer = journalWriter(folder);
  const files = filesIn(folder, tables, resource === null ? Object.keys(tables) : [resource], format, progress);
  const pace = rewritingPace();
  let number = Number(/\d+/.exec(opened.committed.fresh ?? opened.committed.journal ?? '')?.[0] ?? 0);
  const removeFormer = async (former: string | null, name: string): Promise<void> => {
    if (former !== null && former !== name) await rm(join(folder, former), { force: true });
  };
  // What the system says of a write names no file.
  const naming =
    <Given>(work: (given: Given) => Promise<void>) =>
    (given: Given): Promise<void> =>
      work(given).catch((error: NodeJS.ErrnoException) => {
        if (error.code === undefined || error.path !== undefined) throw error;
        throw new MirrorRefused(`the folder ${folder} cannot be written: ${error.message}`, { cause: error });
      });
  return {
    async state() {
      const { state } = progress.committed;
      if (state.phase === 'changes') await files.requireFiles();
      return state;
    },
    commit: naming(async (commit) => {
      await progress.requireAlone();
      const { committed } = progress;
      const { state, copy } = commit;
      const text = journalText(commit);
      const toFresh = copy === 'begin' || committed.state.phase === 'snapshot';
      let [name, before] = toFresh ? [committed.fresh, committed.freshBytes] : [committed.journal, committed.bytes];
      if (copy === 'begin') before = 0;
      if (name === null || copy === 'begin') name = `records-${(number += 1)}.ndjson`;
      await writer.append(name, before, text);
      const after = before + Buffer.byteLength(text);
      if (copy === 'finish') {
        await progress.save({ ...committed, state, journal: name, bytes: after, fresh: null, freshBytes: 0, whole: true });
        await removeFormer(committed.journal, name);
      } else if (toFresh) {
        await progress.save({ ...committed, state, fresh: name, freshBytes: after });
        if (copy === 'begin') await removeFormer(committed.fresh, name);
      } else await progress.save({ ...committed, state, journal: name, bytes: after });
    }),
    records: files.records,
    tidy: naming(async (now) => {
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
