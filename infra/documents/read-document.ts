import { type AgendaDocument, readAgenda, unread } from '../../domain/agenda-text/read-agenda.ts';
import { cleanCharacters } from '../../domain/text/source-text.ts';
import type { DocumentText } from '../../domain/agenda-text/text-line.ts';
import type { ReadDocument } from '../../domain/ports/documents.ts';
import { readDocx } from './docx-document.ts';
import { readHtml } from './html-document.ts';
import { MAX_CHARACTERS } from './limits.ts';
import { readPdf } from './pdf-text.ts';
import { readPlainText } from './plain-text.ts';
import { UnreadableDocument } from './unreadable-document.ts';

/** Number of leading bytes that may contain the signature of a format: some servers send characters before it. */
const MARK_WITHIN = 1_024;

const PDF = 'application/pdf';
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const HTML = 'text/html';
const PLAIN = 'text/plain';

const beginning = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes.subarray(0, MARK_WITHIN));

/** UTF-8 unless the text is not valid UTF-8; then Windows-1252, the other encoding of the platforms. */
function decodeBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function decodeBounded(bytes: Uint8Array): string {
  if (bytes.length > MAX_CHARACTERS) throw new UnreadableDocument(`has more than ${MAX_CHARACTERS} characters`);
  return decodeBytes(bytes);
}

/** The format follows from the content: servers send wrong media types, and pages in place of files. */
function formatOf(bytes: Uint8Array, mediaType: string | null): string | null {
  const start = beginning(bytes);
  if (start.includes('%PDF-')) return PDF;
  if (start.startsWith('PK')) return DOCX;
  if (/<(?:!doctype html|html|head|body|div|p|table|h[1-6]|ol|ul|span)\b/i.test(start)) return HTML;
  if (mediaType?.startsWith(HTML) === true) return HTML;
  return mediaType?.startsWith(PLAIN) === true && !start.includes('\0') ? PLAIN : null;
}

async function readText(bytes: Uint8Array, format: string | null): Promise<DocumentText> {
  if (bytes.length === 0) throw new UnreadableDocument('is empty');
  if (format === PDF) return readPdf(bytes);
  if (format === DOCX) return readDocx(bytes);
  if (format === HTML) return readHtml(decodeBounded(bytes));
  if (format === PLAIN) return readPlainText(decodeBounded(bytes));
  throw new UnreadableDocument('is neither PDF, DOCX, HTML nor plain text');
}

const cleaned = (text: string | null): string | null => (text === null ? null : cleanCharacters(text));

/** The texts as they can be stored: without controls and lone surrogates. */
function withCleanTexts(agenda: AgendaDocument): AgendaDocument {
  const items = agenda.items.map((item) => ({
    ...item,
    number: cleaned(item.number),
    section: cleaned(item.section),
    title: cleanCharacters(item.title),
  }));
  return { ...agenda, body: cleaned(agenda.body), items };
}

/** Reads a document in the thread of its caller. */
export async function readDocument(bytes: Uint8Array, mediaType: string | null): Promise<ReadDocument> {
  const format = formatOf(bytes, mediaType);
  try {
    const { lines, ...rest } = await readText(bytes, format);
    const agenda = withCleanTexts(readAgenda({ lines, ...rest }));
    return { agenda, text: lines.map((line) => cleanCharacters(line.text).trim()).join('\n'), mediaType: format };
  } catch (error) {
    if (!(error instanceof UnreadableDocument)) throw error;
    return { agenda: unread(error.message), text: '', mediaType: format };
  }
}
