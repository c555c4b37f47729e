import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import type { Command } from '@commander-js/extra-typings';
import type { EventLog } from '../../../domain/ports/event-log.ts';
import { RESOURCES } from '../../../domain/records/resources.ts';
import { isStoreFailure } from '../../../plumbing/retry.ts';
import { exportRecords, recordVersions } from '../../../queries/feed/export-records.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { findDatabaseTroubles } from '../doctor/examine.ts';
import { print, writeOut } from '../output.ts';
import { countBytes, withProgress } from '../progress-bar.ts';
import { RejectedFile } from '../rejected-file.ts';
import { choiceParser, runs, uuidParser, waitUntilVisible, withOpened } from '../verb.ts';
import { importRecords } from '../../sources/ndjson/import-records.ts';

const REJECTED_LINES = 3;

export function addRecordsCommands(program: Command, context: CliContext): void {
  const records = program.command('records').description('import and export records');
  const importing = records
    .command('import <file>')
    .description('import changes from NDJSON, one per line, from a file or standard input (-)')
    .addHelpText(
      'after',
      '\nA bad line stops nothing: it goes to FILE.rejected.ndjson with its number and reason, and the exit status is then 3.',
    );
  runs(context, 'nothing', importing, (_, file, options) => runImport(context, file, options));
  records
    .command('export')
    .description('print the current records, or those at a cursor, as NDJSON that import reads')
    .option('--resource <name>', `one of ${RESOURCES.join(', ')}`, choiceParser('--resource', RESOURCES))
    .option('--at <cursor>', 'the state at a feed cursor')
    .option('--json', 'print one JSON array instead of lines')
    .action(({ json = false, ...question }) =>
      withOpened(context, 'read models', ({ reads }) => writeLines(context, exportRecords(reads, question), json)),
    );
  records
    .command('history')
    .argument('<id>', '', uuidParser('the id'))
    .description('print every version of a record as NDJSON, oldest first')
    .option('--json', 'print one JSON array instead of lines')
    .action((recordId, { json = false }) =>
      withOpened(context, 'log', ({ log }) => writeLines(context, historyLines(log, recordId), json)),
    );
}

async function* historyLines(log: EventLog, recordId: string): AsyncGenerator<string> {
  let isKnown = false;
  for await (const version of recordVersions(log, recordId)) {
    isKnown = true;
    yield `${JSON.stringify(version)}\n`;
  }
  if (!isKnown) throw new CommandFailed(`no record has ever had the id ${recordId}`);
}

async function writeLines(context: CliContext, lines: AsyncIterable<string>, json: boolean): Promise<void> {
  let before = '[';
  for await (const line of lines) {
    await writeOut(context, json ? `${before}${line.trimEnd()}` : line);
    before = ',';
  }
  if (json) await writeOut(context, before === '[' ? '[]\n' : ']\n');
}

async function openInput(
  context: CliContext,
  file: string,
): Promise<{ readonly bytes: AsyncIterable<Uint8Array>; readonly size: number }> {
  if (file === '-') return { bytes: addAbortSignal(context.stopping, context.stdin), size: 0 };
  const handle = await open(file, 'r').catch((error: Error) => {
    throw new CommandFailed(`cannot read ${file}: ${error.message}`);
  });
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new CommandFailed(`cannot read ${file}: it is a folder`);
    return { bytes: createReadStream(file, { highWaterMark: 1 << 20, signal: context.stopping }), size: stats.size };
  } finally {
    await handle.close();
  }
}

/**
 * Adds the current problems of the database to the failure of an import that can run again. Returns any other error
 * unchanged.
 */
async function resumable(context: CliContext, error: unknown): Promise<unknown> {
  if (!isStoreFailure(error)) return error;
  const reasons = [error.message, ...(await findDatabaseTroubles(context.examination))];
  return new CommandFailed(
    `the import stopped: ${reasons.join('; ')}; run the same import again, which is safe: it repeats nothing that is stored and continues with the rest`,
  );
}

async function runImport(context: CliContext, file: string, options: { readonly json?: boolean }): Promise<void> {
  const started = performance.now();
  const rejectedFile = await RejectedFile.beside(file === '-' ? 'import' : file);
  let tally;
  try {
    tally = await importing(context, file, rejectedFile);
  } finally {
    await rejectedFile.close();
  }
  const { read, appended, unchanged, rejected } = tally;
  print(
    context,
    { read, appended, unchanged, rejected, seconds: Math.round(performance.now() - started) / 1000 },
    options,
  );
  if (rejected > 0) {
    throw new CommandFailed(
      `${rejected} of ${read} lines were refused; they are in ${rejectedFile.path} with the reason of each`,
      REJECTED_LINES,
    );
  }
}

async function importing(context: CliContext, file: string, rejectedFile: RejectedFile) {
  const { bytes, size } = await openInput(context, file);
  return withOpened(context, 'projector', async (civic) => {
    try {
      const result = await withProgress(context, 'bytes', (bar) =>
        importRecords({
          input: countBytes(bytes, bar, size),
          writer: civic.writer,
          onRejected: (line, reason) => rejectedFile.add(line, reason),
        }),
      );
      await waitUntilVisible(context, civic, result.last);
      return result;
    } catch (error) {
      throw context.stopping.aborted ? context.stopping.reason : await resumable(context, error);
    }
  });
}
