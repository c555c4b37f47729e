/** The document cannot be read, now or later. The message continues a sentence that begins with the document: "is encrypted". */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
}
