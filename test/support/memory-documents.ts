import type { NewDocument, StoredDocument, StoredDocuments, StoredText } from '../../domain/ports/documents.ts';

/** Documents in memory, one version for each address. */
export class MemoryDocuments implements StoredDocuments {
  readonly #versions = new Map<string, StoredDocument & { readonly text: string }>();

  async find(address: string) {
    return this.#versions.get(address) ?? null;
  }

  async put(address: string, version: NewDocument) {
    this.#versions.set(address, { ...version, recordIds: [], meetingIds: [] });
  }

  async confirm(address: string, checked: Pick<StoredDocument, 'validator' | 'checkedAt'>) {
    this.#versions.set(address, { ...this.#versions.get(address)!, ...checked });
  }

  async link(sha256: string, { meetingId, recordIds }: Parameters<StoredDocuments['link']>[1]) {
    for (const [address, version] of this.#versions)
      if (version.sha256 === sha256)
        this.#versions.set(address, {
          ...version,
          recordIds: [...version.recordIds, meetingId, ...recordIds],
          meetingIds: [...new Set([...version.meetingIds, meetingId])],
        });
  }

  async texts(): Promise<readonly StoredText[]> {
    return [...this.#versions].map(([address, version]) => ({ address, ...version }));
  }

  async forget(recordIds: readonly string[]) {
    for (const [address, version] of this.#versions)
      if (version.recordIds.some((id) => recordIds.includes(id))) this.#versions.delete(address);
  }
}
