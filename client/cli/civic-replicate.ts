#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { API_KEY_VARIABLE } from '../../domain/key-secret.ts';
import { useProxiesOf } from '../../plumbing/outgoing-proxy.ts';
import { visible } from '../../plumbing/visible-text.ts';
import { keepMirror } from '../mirror/keep-mirror.ts';
import { FILE_FORMATS } from '../mirror/mirror-files.ts';
import { MIRRORED } from '../mirror/feed-pages.ts';

const PROGRESS_MS = 5000;

const OPTIONS = {
  'base-url': { type: 'string' },
  to: { type: 'string' },
  'key-file': { type: 'string' },
  resource: { type: 'string' },
  format: { type: 'string' },
  follow: { type: 'boolean', default: false },
  verify: { type: 'boolean', default: false },
  'new-snapshot': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const HELP = `Usage: civic-replicate --base-url URL --to STORE [options]

Keeps a copy of the records of a Civic Records Service: a snapshot, then its changes. A later run continues.
The key, with the scopes civic:read and civic:export, comes from the variable ${API_KEY_VARIABLE} or from --key-file.

  --base-url URL    address of the service
  --to STORE        a folder, sqlite:FILE (Node.js 22.13 or newer) or postgres://... (needs the package pg)
  --key-file FILE   a file that contains the key
  --resource NAME   only one of ${MIRRORED.join(', ')}
  --format FORMAT   file format in a folder: ${FILE_FORMATS.join(' or ')}
  --follow          continue until it is stopped
  --verify          compare the copy with the digests of the service at the end
  --new-snapshot    start from a new snapshot, even if the copy could continue
  --help            print this

Example:
  civic-replicate --base-url https://records.example.org --key-file key.txt --to sqlite:mirror.db --verify
`;

/** A wrong argument; the exit status is 2. */
class Misuse extends Error {}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    throw new Misuse((error as Error).message);
  }
}

function requireOption(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw new Misuse(`--${name} is needed; --help lists the options`);
  return value;
}

function parseChoice<Name extends string>(
  option: string,
  names: readonly Name[],
  value: string | undefined,
): Name | null {
  if (value === undefined) return null;
  const name = names.find((each) => each === value);
  if (name === undefined)
    throw new Misuse(`--${option} must be one of ${names.join(', ')}; got ${JSON.stringify(value)}`);
  return name;
}

async function readKey(file: string | undefined): Promise<string> {
  const key = file === undefined ? process.env[API_KEY_VARIABLE] : await readFile(file, 'utf8');
  if (key === undefined || key.trim() === '')
    throw new Misuse(`a key is needed: set ${API_KEY_VARIABLE}, or name a file with --key-file`);
  return key.trim();
}

const printLine = (line: string): void => void process.stderr.write(`civic-replicate: ${visible(line)}\n`);

async function run(args: readonly string[], signal: AbortSignal): Promise<string> {
  const options = parseOptions(args);
  if (options.help) return HELP;
  const warning = useProxiesOf(process.env);
  if (warning !== null) printLine(warning);
  let [printed, printedAt] = [0, performance.now()];
  const { cursor: _, ...result } = await keepMirror({
    baseUrl: requireOption('base-url', options['base-url']),
    to: requireOption('to', options.to),
    resource: parseChoice('resource', MIRRORED, options.resource),
    format: parseChoice('format', FILE_FORMATS, options.format),
    key: await readKey(options['key-file']),
    follow: options.follow,
    verify: options.verify,
    newSnapshot: options['new-snapshot'],
    signal,
    onNotice: printLine,
    onProgress(done) {
      if (done === printed || performance.now() - printedAt < PROGRESS_MS) return;
      [printed, printedAt] = [done, performance.now()];
      printLine(`${done} ${done === 1 ? 'record' : 'records'}`);
    },
  });
  return `${JSON.stringify(result)}\n`;
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => stop.abort(new Error(`stopped by ${name}`)));
try {
  process.stdout.write(await run(process.argv.slice(2), stop.signal));
} catch (error) {
  printLine(error instanceof Error ? error.message : String(error));
  process.exitCode = stop.signal.aborted ? 130 : error instanceof Misuse ? 2 : 1;
}
