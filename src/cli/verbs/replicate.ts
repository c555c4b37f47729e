import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from '@commander-js/extra-typings';
import { type AskCivic, createCivicApi } from '../../../client/mirror/civic-api.ts';
import type { MirrorStore } from '../../../client/mirror/mirror-store.ts';
import { compareMirror, firstDifference } from '../../../client/mirror/compare-mirror.ts';
import { FILE_FORMATS } from '../../../client/mirror/mirror-files.ts';
import { openMirrorStore } from '../../../client/mirror/open-store.ts';
import { replicate, type Replicated } from '../../../client/mirror/replicate.ts';
import { RESOURCES } from '../../../domain/records/resources.ts';
import { API_KEY_VARIABLE } from '../../settings.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { warn } from '../output.ts';
import { withProgress } from '../progress-bar.ts';
import { choiceParser, runs } from '../verb.ts';

const POLL_MS = 1000;
const RETRIES_ONCE = 6;

export function addReplicateCommand(program: Command, context: CliContext): void {
  const mirror = program
    .command('replicate')
    .description('mirror a service: a snapshot, then its changes, resumable, each change in effect once')
    .requiredOption('--base-url <url>', 'address of the service')
    .option(
      '--key-file <file>',
      `a file that holds the key, which has civic:read and civic:export; without it, ${API_KEY_VARIABLE} holds it`,
    )
    .option('--key <key>', 'the key itself; others on this machine may see it')
    .requiredOption('--to <store>', 'a folder, sqlite:FILE or postgres://…')
    .option('--resource <name>', `only one of ${RESOURCES.join(', ')}`, choiceParser('--resource', RESOURCES))
    .option('--once', 'end at the head of the feed (the default)')
    .option('--follow', 'go on until it is stopped')
    .option(
      '--format <format>',
      'in a folder: ndjson, or csv beside it (default: as the folder has it)',
      choiceParser('--format', FILE_FORMATS),
    )
    .option('--new-snapshot', 'begin with a new snapshot, also where the mirror could continue')
    .option('--verify', 'compare the mirror with the digests of the service at the end');
  runs(context, 'nothing', mirror, async (_, options) => {
    const { baseUrl, to, resource = null, format = null, once = false, follow = false, verify = false, newSnapshot = false } = options;
    if (follow && once) throw new CommandFailed('give --once or --follow, not both');
    const key = await keyOf(context, options);
    const sleep = (milliseconds: number) => wait(milliseconds, undefined, { signal: context.stopping });
    const ask = createCivicApi({
      baseUrl: baseUrl.replace(/\/+$/, ''),
      key,
      sleep,
      signal: context.stopping,
      retries: follow ? Infinity : RETRIES_ONCE,
      onRetry: (reason, milliseconds) => warn(context, `${reason}; retrying in ${Math.ceil(milliseconds / 1000)} s`),
    });
    const store = await openMirrorStore(to, format);
    try {
      return await withProgress(context, 'records', async (bar) => {
        let done = 0;
        const run = (anew: boolean): Promise<Replicated> =>
          replicate({
            ask,
            store,
            resource,
            once: !follow,
            pollMs: POLL_MS,
            sleep,
            newSnapshot: anew,
            onProgress: (records) => bar.update((done += records)),
            onRestart: (reason) =>
              warn(context, `${reason}; starting again from a snapshot; the mirror does not change until that is complete`),
            onUnfitPage: (reason) => warn(context, `${reason}; reading it again`),
          });
        const result = await run(newSnapshot);
        if (verify) await requireEqual(ask, store, resource, result, () => run(false));
        return verify ? { ...result, verified: true } : result;
      });
    } catch (error) {
      if (!context.stopping.aborted) throw error;
      await store.tidy(true);
      throw context.stopping.reason;
    } finally {
      await store.close();
    }
  });
}

interface GivenKey {
  readonly key?: string | undefined;
  readonly keyFile?: string | undefined;
}

async function keyOf({ examination }: CliContext, { key, keyFile }: GivenKey): Promise<string> {
  if (key !== undefined && keyFile !== undefined) throw new CommandFailed('give the key by --key or by --key-file, not both');
  if (keyFile === undefined) {
    const given = (key ?? examination.environment[API_KEY_VARIABLE] ?? '').trim();
    if (given === '') throw new CommandFailed(`give the key by ${API_KEY_VARIABLE}, by --key-file or by --key`);
    return given;
  }
  const text = await readFile(keyFile, 'utf8').catch((error: Error) => {
    throw new CommandFailed(`cannot read ${keyFile}: ${error.message}`);
  });
  return text.trim();
}

interface Health {
  readonly data: { readonly pipeline: { readonly head: { readonly cursor: string; readonly digests: Readonly<Record<string, string>> } } };
}

const TRIES = 10;

/** Throws `CommandFailed` for a mirror that differs. The feed may advance before the digests: then it reads on and compares again. */
async function requireEqual(ask: AskCivic, store: MirrorStore, resource: string | null, first: Replicated, run: () => Promise<Replicated>) {
  let { cursor } = first;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const { head } = (await ask<Health>('/api/v1/data/health')).data.pipeline;
    const { equal, different } = await compareMirror(store, head.digests, resource);
    if (equal) return;
    const moved = (await run()).cursor;
    if (moved === cursor) {
      const first = await firstDifference(ask, store, different[0]!, cursor);
      const record = first === null ? '' : `; the first record of ${different[0]!} that differs: ${first}`;
      throw new CommandFailed(
        `the mirror differs from the service in ${different.join(', ')}${record}; run the same command with --new-snapshot to replace what differs`,
      );
    }
    cursor = moved;
  }
  throw new CommandFailed(`the service changed ${TRIES} times while the mirror was compared; compare at a quieter time`);
}
