#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { API_KEY_VARIABLE } from '../../domain/key-secret.ts';
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
  --key-file FILE   a file that holds the key
  --resource NAME   only one of ${MIRRORED.join(', ')}
  --format FORMAT   of a folder: ${FILE_FORMATS.join(' or ')}
  --follow          go on until it is stopped
  --verify          compare the copy with the digests of the service at the end
  --new-snapshot    begin with a new snapshot, also where the copy could continue
  --help            print this

Example:
  civic-replicate --base-url https://records.example.org --key-file key.txt --to sqlite:mirror.db --verify
`;

/** An argument is wrong: the exit status is 2. */
class Misuse extends Error {}

function optionsOf(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    throw new Misuse((error as Error).message);
  }
}

function required(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw new Misuse(`--${name} is needed; --help lists the options`);
  return value;
}

function oneOf<Name extends string>(option: string, names: readonly Name[], value: string | undefined): Name | null {
  if (value === undefined) return null;
  const name = names.find((each) => each === value);
  if (name === undefined) throw new Misuse(`--${option} must be one of ${names.join(', ')}; got ${JSON.stringify(value)}`);
  return name;
}

async function keyOf(file: string | undefined): Promise<string> {
  const key = file === undefined ? process.env[API_KEY_VARIABLE] : await readFile(file, 'utf8');
  if (key === undefined || key.trim() === '') throw new Misuse(`a key is needed: set ${API_KEY_VARIABLE}, or name a file with --key-file`);
  return key.trim();
}

const say = (line: string): void => void process.stderr.write(`civic-replicate: ${line}\n`);

async function run(args: readonly string[], signal: AbortSignal): Promise<string> {
  const options = optionsOf(args);
  if (options.help) return HELP;
  let said = performance.now();
  const { cursor: _, ...result } = await keepMirror({
    baseUrl: required('base-url', options['base-url']),
    to: required('to', options.to),
    resource: oneOf('resource', MIRRORED, options.resource),
    format: oneOf('format', FILE_FORMATS, options.format),
    key: await keyOf(options['key-file']),
    follow: options.follow,
    verify: options.verify,
    newSnapshot: options['new-snapshot'],
    signal,
    onNotice: say,
    onProgress(done) {
      if (performance.now() - said < PROGRESS_MS) return;
      said = performance.now();
      say(`${done} records`);
    },
  });
  return `${JSON.stringify(result)}\n`;
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(new Error(`stopped by ${name}`)));
try {
  process.stdout.write(await run(process.argv.slice(2), stop.signal));
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = stop.signal.aborted ? 130 : error instanceof Misuse ? 2 : 1;
}
