import type { StoredDocument, StoredDocuments } from '../../domain/ports/documents.ts';

/** Documents in memory, one version for each address. */
export class MemoryDocuments implements StoredDocuments {
  readonly #versions = new Map<string, StoredDocument>();

  async find(address: string) {
    return this.#versions.get(address) ?? null;
  }

  async put(address: string, version: Omit<StoredDocument, 'recordIds'>) {
    this.#versions.set(address, { ...version, recordIds: [] });
  }

  async confirm(address: string, checked: Pick<StoredDocument, 'validator' | 'checkedAt'>) {
    this.#versions.set(address, { ...this.#versions.get(address)!, ...checked });
  }

  async link(sha256: string, { meetingId, recordIds }: Parameters<StoredDocuments['link']>[1]) {
    for (const [address, version] of this.#versions)
      if (version.sha256 === sha256)
        this.#versions.set(address, { ...version, recordIds: [...version.recordIds, meetingId, ...recordIds] });
  }

  async forget(recordIds: readonly string[]) {
    for (const [address, version] of this.#versions)
      if (version.recordIds.some((id) => recordIds.includes(id))) this.#versions.delete(address);
  }
}
