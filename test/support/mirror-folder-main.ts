import { addDigest, canonicalJson, digestText, recordDigest } from '../../domain/digests.ts';
import { compareMirror } from '../../client/mirror/compare-mirror.ts';
import { openDirectoryStore } from '../../client/mirror/directory-store.ts';
import type { MirrorState } from '../../client/mirror/mirror-store.ts';
import { mirroredId } from './mirrored-records.ts';

/** Keeps so many records of a mebibyte in a folder, and says whether they are the same in its journal and in its file: `node mirror-folder-main.ts FOLDER RECORDS`. */
const [folder, records] = [process.argv[2]!, Number(process.argv[3])];
const RESOURCE = 'agenda_items';
const MEBIBYTE = 1 << 20;
const COPYING: MirrorState = {
  phase: 'snapshot',
  snapshotId: 'a snapshot',
  boundaryCursor: 'a cursor',
  digests: {},
  sums: {},
  resources: [RESOURCE],
  pageCursor: null,
};

const store = await openDirectoryStore(folder, null, RESOURCE);
let sum = 0n;
for (let at = 1; at <= records; at += 1) {
  const id = mirroredId(RESOURCE, `large ${at}`);
  const data = canonicalJson({ id, text: String.fromCodePoint(97 + (at % 26)).repeat(MEBIBYTE) });
  sum = addDigest(sum, recordDigest(RESOURCE, id, data));
  const copy = at === 1 ? ('begin' as const) : at === records ? ('finish' as const) : undefined;
  const state = at === records ? ({ phase: 'changes', cursor: 'the head' } as const) : COPYING;
  await store.commit({ state, upserts: [{ resource: RESOURCE, id, data }], removes: [], ...(copy && { copy }) });
}
const isWhole = async (): Promise<boolean> =>
  (await compareMirror(store, { [RESOURCE]: digestText(sum) }, RESOURCE)).equal;
const inJournal = await isWhole();
await store.tidy(true);
process.stdout.write(JSON.stringify({ inJournal, inFile: await isWhole() }));
await store.close();
