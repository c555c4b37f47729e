import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { MirrorTables } from './columns.ts';
import { lockFolder } from './folder-lock.ts';
import {
  type FileFormat,
  FILE_FORMATS,
  fileOf,
  findStaleTable,
  linesOf,
  openOwn,
  rewriteResource,
} from './mirror-files.ts';
import { MIRROR_TABLES } from './mirror-tables.ts';
import {
  type MirrorCommit,
  MirrorRefused,
  type MirrorRecord,
  type MirrorState,
  type MirrorStore,
  unusable,
} from './mirror-store.ts';
import { createRewritingPace } from './rewriting-pace.ts';

/** Content of `replica.json`. Bytes of a journal beyond the recorded length were not committed. */
interface Committed {
  readonly state: MirrorState;
  /** Changes that the files of the resources lack. */
  readonly journal: string | null;
  readonly bytes: number;
  /** The journal of a snapshot that is being copied. */
  readonly fresh: string | null;
  readonly freshBytes: number;
  /** True if the journal has every record and the files are ignored. Earlier versions had no files and omit it: absent means true. */
  readonly whole?: boolean;
  /** Resources that have a file. Earlier versions omit it: absent means every known resource. */
  readonly resources?: readonly string[];
  readonly format?: FileFormat;
  /** Size of the file of records in bytes, by resource. Absent while the files are being written, and in earlier versions. */
  readonly sizes?: Readonly<Record<string, number>> | undefined;
}

const NOTHING: Committed = {
  state: { phase: 'empty' },
  journal: null,
  bytes: 0,
  fresh: null,
  freshBytes: 0,
  resources: [],
};

/** A name from the files of a mirror becomes the name of a file that is written or deleted, so it must stay in the folder. */
const JOURNAL = /^records-\d+\.ndjson$/;
const RESOURCE = /^[a-z_]+$/;

const JOURNAL_LINE = /^\{"op":"(upsert|remove)","resource":"([^"]+)","id":"([^"]+)"(?:,"data":(.*))?\}$/s;

interface JournalLine {
  readonly resource: string;
  readonly id: string;
  /** Null if the record was removed. */
  readonly data: string | null;
}

/** Copies a part of a line: a slice would keep the whole line in memory. */
const copyText = (text: string): string => Buffer.from(text).toString();

async function* readJournal(file: string, bytes: number): AsyncIterable<JournalLine> {
  for await (const line of linesOf(file, bytes)) {
    const [, op, resource, id, data] = JOURNAL_LINE.exec(line) ?? [];
    if (resource === undefined || id === undefined || !RESOURCE.test(resource))
      throw new MirrorRefused(`${file} has a line that no mirror wrote`);
    yield { resource: copyText(resource), id: copyText(id), data: op === 'upsert' ? (data ?? null) : null };
  }
}

async function syncFolder(folder: string): Promise<void> {
  const directory = await open(folder, 'r');
  await directory.sync();
  await directory.close();
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** Resolves to the size in bytes; null if there is no such file. */
const readSize = (file: string): Promise<number | null> => stat(file).then(({ size }) => size, nullIfMissing);

const readProgress = (folder: string): Promise<string | null> =>
  readFile(join(folder, 'replica.json'), 'utf8').catch(nullIfMissing);

/** Throws for a text that no mirror wrote. */
function parseProgress(text: string): Committed {
  const committed = JSON.parse(text) as Committed | null;
  const { state, journal = null, fresh = null, format, resources = [] } = committed ?? {};
  const fits =
    state?.phase !== undefined &&
    [journal, fresh].every((name) => name === null || JOURNAL.test(name)) &&
    (format === undefined || FILE_FORMATS.includes(format)) &&
    Array.isArray(resources) &&
    resources.every((name) => RESOURCE.test(name));
  if (!fits) throw new Error('its replica.json has content that no mirror wrote; name an empty folder');
  return committed!;
}

/** Reads `replica.json` and removes files that a killed replicator left. Throws for a folder with files that no mirror wrote. */
async function readFolder(folder: string, tables: MirrorTables) {
  const text = await readProgress(folder);
  const committed = text === null ? NOTHING : parseProgress(text);
  const names = await readdir(folder);
  const own = new Set(
    Object.keys(tables).flatMap((resource) => FILE_FORMATS.map((format) => fileOf(resource, format))),
  );
  const foreign = committed.whole === undefined ? names.find((name) => own.has(name)) : undefined;
  if (foreign !== undefined) throw new Error(`it has a file ${foreign} that no mirror wrote; name an empty folder`);
  if (committed !== NOTHING) {
    const isLeftover = (name: string) => JOURNAL.test(name) && name !== committed.journal && name !== committed.fresh;
    const leftovers = names.filter(
      (name) => isLeftover(name) || (name.endsWith('.new') && own.has(name.slice(0, -'.new'.length))),
    );
    for (const name of leftovers) await rm(join(folder, name));
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

/** Tracks and saves the committed progress, which `replica.json` contains. */
function trackProgress(folder: string, opened: { readonly text: string | null; readonly committed: Committed }) {
  let { committed, text: lastText } = opened;
  return {
    get committed(): Committed {
      return committed;
    },
    async requireAlone(): Promise<void> {
      if ((await readProgress(folder)) !== lastText)
        throw new MirrorRefused(`another replicator has written to ${folder} at the same time; run one at a time`);
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
      lastText = text;
    },
  };
}
type Progress = ReturnType<typeof trackProgress>;

function createJournalWriter(folder: string) {
  let file: { readonly name: string; readonly handle: FileHandle } | undefined;
  async function close(): Promise<void> {
    const open = file;
    file = undefined;
    await open?.handle.close();
  }
  return {
    /** Appends after the committed bytes of a journal. When it opens the file, it drops the bytes beyond them. */
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

/** Reads and rewrites the files of the resources; a journal has the changes that the files lack. */
function openFiles(
  folder: string,
  tables: MirrorTables,
  mirrored: readonly string[],
  format: FileFormat,
  progress: Progress,
) {
  const path = (name: string) => join(folder, name);
  const filed = () => progress.committed.resources ?? Object.keys(tables);
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
  /** Maps resource and id to the last line of the journal about the record, which overrides the earlier lines. */
  async function findLastLines() {
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
  /** Yields the records whose last line in the journal is an upsert. Reads the journal again, because it might not fit into memory. */
  async function* readJournalRecords(last: Awaited<ReturnType<typeof findLastLines>>): AsyncIterable<MirrorRecord> {
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
  /** Applies the changes of the journal to the files. */
  async function rewrite(): Promise<void> {
    await progress.requireAlone();
    await requireFiles();
    const { whole, journal: merged } = progress.committed;
    const former = new Set(filed());
    // If the process is killed, the next start accepts the files although some were already rewritten.
    await progress.save({ ...progress.committed, sizes: undefined });
    const last = await findLastLines();
    const all = whole || format !== progress.committed.format ? [...mirrored, ...former] : [];
    const files = new Map<string, Awaited<ReturnType<typeof rewriteResource>>>();
    try {
      for (const resource of new Set([...last.keys(), ...all])) {
        const rewritten = await rewriteResource(path, tables, resource, format);
        files.set(resource, rewritten);
        if (whole || !former.has(resource)) continue;
        for await (const { data } of readFiledRecords(resource, last.get(resource))) await rewritten.add(data);
      }
      for await (const { resource, data } of readJournalRecords(last)) await files.get(resource)!.add(data);
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
    const last = await findLastLines();
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
    return findStaleTable(path, tables, resource);
  }
  return { requireFiles, rewrite, records, findStale };
}

/** Formats a commit as lines of the journal. */
const formatCommit = ({ upserts, removes }: MirrorCommit): string =>
  [
    ...upserts.map(
      ({ resource, id, data }) => `{"op":"upsert","resource":"${resource}","id":"${id}","data":${data}}\n`,
    ),
    ...removes.map(({ resource, id }) => `{"op":"remove","resource":"${resource}","id":"${id}"}\n`),
  ].join('');

/**
 * Opens a mirror in a folder: one file for each mirrored resource, with one line per record. `replica.json` names a journal of the changes that
 * the files lack; `tidy` applies them and replaces each file atomically.
 */
export async function openDirectoryStore(
  folder: string,
  requestedFormat: FileFormat | null = null,
  resource: string | null = null,
  tables: MirrorTables = MIRROR_TABLES,
): Promise<MirrorStore> {
  const opened = await openFolder(folder, tables).catch((error: unknown) => {
    throw unusable(`the folder ${folder}`, error);
  });
  const format = requestedFormat ?? opened.committed.format ?? 'ndjson';
  const progress = trackProgress(folder, opened);
  const writer = createJournalWriter(folder);
  const files = openFiles(folder, tables, resource === null ? Object.keys(tables) : [resource], format, progress);
  const pace = createRewritingPace();
  let number = Number(/\d+/.exec(opened.committed.fresh ?? opened.committed.journal ?? '')?.[0] ?? 0);
  // System errors of a write do not name the file.
  const nameFolderInErrors =
    <Input>(work: (input: Input) => Promise<void>) =>
    (input: Input): Promise<void> =>
      work(input).catch((error: NodeJS.ErrnoException) => {
        if (error.code === undefined || error.path !== undefined) throw error;
        throw new MirrorRefused(`the folder ${folder} cannot be written: ${error.message}`, { cause: error });
      });
  return {
    async state() {
      const { state } = progress.committed;
      if (state.phase === 'changes') await files.requireFiles();
      return state;
    },
    commit: nameFolderInErrors(async (commit) => {
      await progress.requireAlone();
      const { committed } = progress;
      const { state, copy } = commit;
      const text = formatCommit(commit);
      const toFresh = copy === 'begin' || committed.state.phase === 'snapshot';
      const former = toFresh ? committed.fresh : committed.journal;
      const name = former === null || copy === 'begin' ? `records-${(number += 1)}.ndjson` : former;
      const before = copy === 'begin' ? 0 : toFresh ? committed.freshBytes : committed.bytes;
      await writer.append(name, before, text);
      const after = before + Buffer.byteLength(text);
      const journal = { journal: name, bytes: after };
      if (copy === 'finish')
        await progress.save({ ...committed, state, ...journal, fresh: null, freshBytes: 0, whole: true });
      else if (toFresh) await progress.save({ ...committed, state, fresh: name, freshBytes: after });
      else await progress.save({ ...committed, state, ...journal });
      const replaced = copy === 'finish' ? committed.journal : copy === 'begin' ? committed.fresh : null;
      if (replaced !== null && replaced !== name) await rm(join(folder, replaced), { force: true });
    }),
    records: files.records,
    findStale: files.findStale,
    tidy: nameFolderInErrors(async (now) => {
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
