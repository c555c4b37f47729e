import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import type { Command } from 'commander';
import { exportRecords } from '../../../queries/feed/export-records.ts';
import { recordVersions } from '../../../queries/feed/record-versions.ts';
import { isResource, RESOURCES } from '../../../domain/records/resources.ts';
import { isStoreFailure } from '../../../domain/retry.ts';
import { importRecords } from '../../sources/ndjson/import-records.ts';
import { databaseTroubles } from '../doctor/examine.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { print, writeOut } from '../output.ts';
import { withProgress } from '../progress-bar.ts';
import { RejectedFile } from '../rejected-file.ts';
import { uuidOf, waitUntilVisible, withCivic } from '../verb.ts';

const REJECTED_LINES = 3;

interface Options {
  readonly json?: boolean;
  readonly resource?: string;
  readonly at?: string;
}

export function addRecordsCommands(program: Command, context: CliContext): void {
  const records = program.command('records').description('bring civic records in and out');
  records
    .command('import <file>')
    .description('read NDJSON, one change a line, from a file or from standard input (-)')
    .option('--json', 'print one JSON value')
    .addHelpText(
      'after',
      '\nA bad line stops nothing: it goes to FILE.rejected.ndjson with its number and reason, and the exit status is then 3.',
    )
    .action((file: string, options: Options) => runImport(context, file, options));
  records
    .command('export')
    .description('print the current (or then current) records as NDJSON, in the form that import reads')
    .option('--resource <name>', `one of ${RESOURCES.join(', ')}`)
    .option('--at <cursor>', 'the state at a feed cursor')
    .option('--json', 'print one JSON array instead of lines')
    .action((options: Options) => runExport(context, options));
  records
    .command('history <id>')
    .description('every version of a record from the log, as NDJSON, oldest first')
    .option('--json', 'print one JSON array instead of lines')
    .action((id: string, options: Options) => runHistory(context, id, options));
}

const runHistory = (context: CliContext, id: string, { json }: Options): Promise<void> =>
  withCivic(context, 'log', async (civic) => {
    const recordId = uuidOf('the id', id);
    let found = 0;
    for await (const version of recordVersions(civic.log, recordId)) {
      const text = JSON.stringify(version);
      await writeOut(context, json ? `${found === 0 ? '[' : ','}${text}` : `${text}\n`);
      found += 1;
    }
    if (found === 0) throw new CommandFailed(`no record has ever had the id ${recordId}`);
    if (json) await writeOut(context, ']\n');
  });

async function openInput(context: CliContext, file: string): Promise<AsyncIterable<Uint8Array>> {
  if (file === '-') return addAbortSignal(context.stopping, context.stdin);
  const handle = await open(file, 'r').catch((error: Error) => {
    throw new CommandFailed(`cannot read ${file}: ${error.message}`);
  });
  try {
    if ((await handle.stat()).isDirectory()) throw new CommandFailed(`cannot read ${file}: it is a folder`);
  } finally {
    await handle.close();
  }
  return createReadStream(file, { highWaterMark: 1 << 20, signal: context.stopping });
}

/** The failure of an import that can run again, with the present problems of the database; another error as it is. */
async function resumable(context: CliContext, error: unknown): Promise<unknown> {
  if (!isStoreFailure(error)) return error;
  const reasons = [error.message, ...(await databaseTroubles(context.examination))];
  return new CommandFailed(
    `the import stopped: ${reasons.join('; ')}; run the same import again, which is safe: it repeats nothing that is stored and continues with the rest`,
  );
}

async function runImport(context: CliContext, file: string, options: Options): Promise<void> {
  const rejectedFile = new RejectedFile(file === '-' ? 'import.rejected.ndjson' : `${file}.rejected.ndjson`);
  await rejectedFile.requireWritable();
  const input = await openInput(context, file);
  const started = performance.now();
  const tally = await withCivic(context, 'projector', async (civic) => {
    try {
      const result = await withProgress(context.stderr, 'lines', (bar) =>
        importRecords({
          input,
          writer: civic.writer,
          onRejected: (line, reason) => rejectedFile.add(line, reason),
          onProgress: (read) => bar.update(read),
        }),
      );
      await waitUntilVisible(context, civic, result.last);
      return result;
    } catch (error) {
      throw context.stopping.aborted ? context.stopping.reason : await resumable(context, error);
    } finally {
      await rejectedFile.close();
    }
  });
  const { read, appended, unchanged, rejected } = tally;
  print(context, { read, appended, unchanged, rejected, seconds: Math.round(performance.now() - started) / 1000 }, options);
  if (rejected > 0) {
    throw new CommandFailed(
      `${rejected} of ${read} lines were refused; they are in ${rejectedFile.path} with the reason of each`,
      REJECTED_LINES,
    );
  }
}

async function runExport(context: CliContext, { resource, at, json }: Options): Promise<void> {
  if (resource !== undefined && !isResource(resource)) {
    throw new CommandFailed(`there is no resource ${resource}; there are ${RESOURCES.join(', ')}`);
  }
  const write = (text: string) => writeOut(context, text);
  await withCivic(context, 'read models', async (civic) => {
    let first = true;
    if (json) await write('[');
    const question = { ...(resource === undefined ? {} : { resource }), ...(at === undefined ? {} : { at }) };
    for await (const line of exportRecords(civic.reads, question)) {
      await write(json ? `${first ? '' : ','}${line.trimEnd()}` : line);
      first = false;
    }
    if (json) await write(']\n');
  });
}
