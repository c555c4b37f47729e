import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeHitsFile } from './hit-records.ts';
import { writeImportFile } from './records.ts';
import { writeSearchFile } from './search-records.ts';
import { civic, openAccount, serve } from './service.ts';

/** A data directory with a number of records in it and an account that may read them; nothing runs on it. */
export interface Dataset {
  readonly dataDir: string;
  readonly records: number;
  readonly key: string;
}

/** Creates data directories on first use, shares them among the loads and removes them at the end. */
export class Datasets {
  readonly #made = new Map<number, Promise<Dataset>>();
  readonly #withHits = new Map<number, Promise<string>>();
  readonly #toSearch = new Map<number, Promise<Dataset>>();
  readonly #folders: string[] = [];

  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'civic-bench-'));
    this.#folders.push(folder);
    return folder;
  }

  of(records: number): Promise<Dataset> {
    let dataset = this.#made.get(records);
    if (dataset === undefined) this.#made.set(records, (dataset = this.#make(records)));
    return dataset;
  }

  /** The data directory of an agenda with so many hits. */
  hits(count: number): Promise<string> {
    let dataDir = this.#withHits.get(count);
    if (dataDir === undefined) this.#withHits.set(count, (dataDir = this.#makeHits(count)));
    return dataDir;
  }

  /** A data directory with so many agenda items of words to search. */
  search(items: number): Promise<Dataset> {
    let dataset = this.#toSearch.get(items);
    if (dataset === undefined) this.#toSearch.set(items, (dataset = this.#makeSearch(items)));
    return dataset;
  }

  remove(): void {
    for (const folder of this.#folders)
      for (const path of [folder, `${folder}.log`]) rmSync(path, { recursive: true, force: true });
  }

  async #make(records: number): Promise<Dataset> {
    const dataDir = this.folder();
    const { key } = await openAccount(dataDir);
    const file = join(this.folder(), 'records.ndjson');
    await writeImportFile(file, 0, records);
    await civic(dataDir, ['records', 'import', file]);
    rmSync(file);
    return { dataDir, records, key };
  }

  async #makeSearch(items: number): Promise<Dataset> {
    const dataDir = this.folder();
    const { key } = await openAccount(dataDir, 'mcp:read');
    const file = join(this.folder(), 'search.ndjson');
    const records = await writeSearchFile(file, items);
    await civic(dataDir, ['records', 'import', file]);
    rmSync(file);
    return { dataDir, records, key };
  }

  async #makeHits(count: number): Promise<string> {
    const dataDir = this.folder();
    // A first start writes the topics and the covered bodies that the hits are hung on.
    await (await serve(dataDir))[Symbol.asyncDispose]();
    const file = join(this.folder(), 'hits.ndjson');
    const records = writeHitsFile(file, count);
    const { appended } = (await civic(dataDir, ['records', 'import', file])).value as { readonly appended: number };
    if (appended !== records) throw new Error(`${appended} of ${records} records were appended`);
    rmSync(file);
    return dataDir;
  }
}
