import { readFile } from 'node:fs/promises';
import type { Command } from '@commander-js/extra-typings';
import { keepMirror } from '../../../client/mirror/keep-mirror.ts';
import { FILE_FORMATS } from '../../../client/mirror/mirror-files.ts';
import { API_KEY_VARIABLE } from '../../../domain/key-secret.ts';
import { RESOURCES } from '../../../domain/records/resources.ts';
import { type CliContext, CommandFailed, MISUSE } from '../context.ts';
import { warn } from '../output.ts';
import { withProgress } from '../progress-bar.ts';
import { choiceParser, runs } from '../verb.ts';

export function addReplicateCommand(program: Command, context: CliContext): void {
  const mirror = program
    .command('replicate')
    .description('mirror a service: a snapshot, then every change exactly once; can be resumed')
    .requiredOption('--base-url <url>', 'address of the service')
    .option(
      '--key-file <file>',
      `a file that contains the key, which needs civic:read and civic:export; without it, ${API_KEY_VARIABLE} holds it`,
    )
    .option('--key <key>', 'the key itself; others on this machine may see it')
    .requiredOption('--to <store>', 'a folder, sqlite:FILE or postgres://…')
    .option('--resource <name>', `only one of ${RESOURCES.join(', ')}`, choiceParser('--resource', RESOURCES))
    .option('--once', 'end at the head of the feed (the default)')
    .option('--follow', 'continue until stopped')
    .option(
      '--format <format>',
      'in a folder: ndjson, or csv beside it (default: as the folder has it)',
      choiceParser('--format', FILE_FORMATS),
    )
    .option('--new-snapshot', 'start from a new snapshot even if the mirror could continue')
    .option('--verify', 'compare the mirror with the digests of the service at the end');
  runs(context, 'nothing', mirror, async (_, options) => {
    const {
      baseUrl,
      to,
      resource = null,
      format = null,
      once = false,
      follow = false,
      verify = false,
      newSnapshot = false,
    } = options;
    if (follow && once) throw new CommandFailed('give --once or --follow, not both', MISUSE);
    const key = await keyOf(context, options);
    return withProgress(context, 'records', (bar) =>
      keepMirror({
        baseUrl,
        key,
        to,
        resource,
        format,
        follow,
        verify,
        newSnapshot,
        signal: context.stopping,
        onNotice: (line) => warn(context, line),
        onProgress: (done) => bar.update(done),
      }),
    );
  });
}

interface GivenKey {
  readonly key?: string | undefined;
  readonly keyFile?: string | undefined;
}

async function keyOf({ examination }: CliContext, { key, keyFile }: GivenKey): Promise<string> {
  if (key !== undefined && keyFile !== undefined)
    throw new CommandFailed('give the key by --key or by --key-file, not both', MISUSE);
  if (keyFile === undefined) {
    const apiKey = (key ?? examination.environment[API_KEY_VARIABLE] ?? '').trim();
    if (apiKey === '')
      throw new CommandFailed(`give the key by ${API_KEY_VARIABLE}, by --key-file or by --key`, MISUSE);
    return apiKey;
  }
  const text = await readFile(keyFile, 'utf8').catch((error: Error) => {
    throw new CommandFailed(`cannot read ${keyFile}: ${error.message}`);
  });
  return text.trim();
}
