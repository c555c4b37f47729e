import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from './folder-lock.ts';
import { isJournalName, isResourceName } from './journal.ts';
import { type FileFormat, FILE_FORMATS, fileOf, openOwn } from './mirror-files.ts';
import { MirrorRefused, type MirrorState } from './mirror-store.ts';
import { MIRROR_TABLES } from './mirror-tables.ts';

/** Content of `replica.json`. Bytes of a journal beyond the recorded length were not committed. */
export interface Committed {
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

export async function syncFolder(folder: string): Promise<void> {
  const directory = await open(folder, 'r');
  await directory.sync();
  await directory.close();
}

export function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

const readProgress = (folder: string): Promise<string | null> =>
  readFile(join(folder, 'replica.json'), 'utf8').catch(nullIfMissing);

/** Throws for a text that no mirror wrote. */
function parseProgress(text: string): Committed {
  const committed = JSON.parse(text) as Committed | null;
  const { state, journal = null, fresh = null, format, resources = [] } = committed ?? {};
  const fits =
    state?.phase !== undefined &&
    [journal, fresh].every((name) => name === null || isJournalName(name)) &&
    (format === undefined || FILE_FORMATS.includes(format)) &&
    Array.isArray(resources) &&
    resources.every((name) => isResourceName(name));
  if (!fits) throw new Error('its replica.json has content that no mirror wrote; name an empty folder');
  return committed!;
}

const OWN_FILES: ReadonlySet<string> = new Set(
  Object.keys(MIRROR_TABLES).flatMap((resource) => FILE_FORMATS.map((format) => fileOf(resource, format))),
);

/** Reads `replica.json` and removes files that a killed replicator left. Throws for a folder with files that no mirror wrote. */
async function readFolder(folder: string) {
  const text = await readProgress(folder);
  const committed = text === null ? NOTHING : parseProgress(text);
  const names = await readdir(folder);
  const foreign = committed.whole === undefined ? names.find((name) => OWN_FILES.has(name)) : undefined;
  if (foreign !== undefined) throw new Error(`it has a file ${foreign} that no mirror wrote; name an empty folder`);
  if (committed !== NOTHING) {
    const isLeftover = (name: string) => isJournalName(name) && name !== committed.journal && name !== committed.fresh;
    const leftovers = names.filter(
      (name) => isLeftover(name) || (name.endsWith('.new') && OWN_FILES.has(name.slice(0, -'.new'.length))),
    );
    for (const name of leftovers) await rm(join(folder, name));
  }
  return { text, committed: { ...committed, whole: committed.whole ?? true } };
}

export async function openFolder(folder: string) {
  await mkdir(folder, { recursive: true });
  const unlock = await lockFolder(folder);
  try {
    return { ...(await readFolder(folder)), unlock };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** Tracks and saves the committed progress, which `replica.json` contains. */
export function trackProgress(folder: string, opened: { readonly text: string | null; readonly committed: Committed }) {
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
      const temporaryPath = join(folder, 'replica.json.new');
      const temporary = await openOwn(temporaryPath, constants.O_TRUNC);
      const text = `${JSON.stringify(next)}\n`;
      await temporary.writeFile(text);
      await temporary.sync();
      await temporary.close();
      await rename(temporaryPath, join(folder, 'replica.json'));
      await syncFolder(folder);
      committed = next;
      lastText = text;
    },
  };
}
export type Progress = ReturnType<typeof trackProgress>;
