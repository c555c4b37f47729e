import type { DocumentReader } from '../../domain/ports/documents.ts';

/** A reader for tests in which no document is read. */
export const UNREAD_DOCUMENTS: DocumentReader = {
  read: () => Promise.reject(new Error('no document is read')),
  close: async () => undefined,
};
