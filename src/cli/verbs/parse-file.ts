import { readFile, stat } from 'node:fs/promises';
import type { Command } from '@commander-js/extra-typings';
import type { AgendaDocument } from '../../../domain/agenda-text/read-agenda.ts';
import { type CliContext, CommandFailed, MISUSE } from '../context.ts';
import { print } from '../output.ts';
import { runs } from '../verb.ts';

/** Maximum size of a document, in bytes. */
const MAX_BYTES = 60_000_000;

/** Media types by the ending of a file name, for files whose content does not show it. */
const MEDIA_TYPES: Readonly<Record<string, string>> = { html: 'text/html', htm: 'text/html', txt: 'text/plain' };

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES)
      throw new CommandFailed(`${path} has ${size} bytes; at most ${MAX_BYTES} bytes are read`, MISUSE);
    return new Uint8Array(await readFile(path));
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw new CommandFailed(`${path} cannot be read: ${(error as Error).message}`);
  }
}

async function readAgendaFile(context: CliContext, path: string): Promise<AgendaDocument> {
  const bytes = await readBytes(path);
  const ending = /\.([a-z]{3,4})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  const reader = await context.openDocuments();
  try {
    return (await reader.read(bytes, MEDIA_TYPES[ending] ?? null)).agenda;
  } finally {
    await reader.close();
  }
}

/** Prints the facts, followed by a table of the items. */
function printAgenda(context: CliContext, { items, ...facts }: AgendaDocument): void {
  print(context, { ...facts, items: items.length }, {});
  if (items.length > 0) {
    context.stdout.write('\n');
    print(context, items, {});
  }
}

export function addParseCommand(sources: Command, context: CliContext): void {
  const parse = sources
    .command('parse <file>')
    .description('print what is read from an agenda in a PDF, DOCX, HTML or text file; needs no installation');
  runs(context, 'nothing', parse, async (_, path, { json = false }) => {
    const agenda = await readAgendaFile(context, path);
    if (json) return agenda;
    printAgenda(context, agenda);
    return undefined;
  });
}
