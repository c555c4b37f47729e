import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from '@commander-js/extra-typings';
import { type AskCivic, createCivicApi } from '../../../client/mirror/civic-api.ts';
import type { MirrorStore } from '../../../client/mirror/mirror-store.ts';
import { compareMirror, openMirrorStore, replicate, type Replicated } from '../../../client/mirror/replicate.ts';
import { RESOURCES } from '../../../domain/records/resources.ts';
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
    .option('--key <key>', 'an API key with civic:read and civic:export; others on this machine may see it')
    .option('--key-file <file>', 'a file that holds the key')
    .requiredOption('--to <store>', 'a folder, sqlite:FILE or postgres://…')
    .option('--resource <name>', `only one of ${RESOURCES.join(', ')}`, choiceParser('--resource', RESOURCES))
    .option('--once', 'end at the head of the feed (the default)')
    .option('--follow', 'go on until it is stopped')
    .option('--verify', 'compare the mirror with the digests of the service at the end');
  runs(context, 'nothing', mirror, async (_, { baseUrl, to, resource = null, once = false, follow = false, verify = false, ...given }) => {
    if (follow && once) throw new CommandFailed('give --once or --follow, not both');
    const key = await keyOf(given);
    const sleep = (milliseconds: number) => wait(milliseconds, undefined, { signal: context.stopping });
    const ask = createCivicApi({
      baseUrl: baseUrl.replace(/\/+$/, ''),
      key,
      sleep,
      signal: context.stopping,
      retries: follow ? Infinity : RETRIES_ONCE,
      onRetry: (reason, milliseconds) => warn(context, `${reason}; retrying in ${Math.ceil(milliseconds / 1000)} s`),
    });
    const store = await openMirrorStore(to);
    try {
      return await withProgress(context.stderr, 'records', async (bar) => {
        let done = 0;
        const run = (): Promise<Replicated> =>
          replicate({
            ask,
            store,
            resource,
            once: !follow,
            pollMs: POLL_MS,
            sleep,
            onProgress: (records) => bar.update((done += records)),
            onRestart: (reason) =>
              warn(context, `${reason}; starting again from a snapshot; the mirror does not change until that is complete`),
          });
        const result = await run();
        if (verify) await requireEqual(ask, store, resource, result, run);
        return verify ? { ...result, verified: true } : result;
      });
    } catch (error) {
      throw context.stopping.aborted ? context.stopping.reason : error;
    } finally {
      await store.close();
    }
  });
}

async function keyOf({ key, keyFile }: { readonly key?: string | undefined; readonly keyFile?: string | undefined }): Promise<string> {
  if ((key === undefined) === (keyFile === undefined)) throw new CommandFailed('give the key by --key or by --key-file');
  if (keyFile === undefined) return key!.trim();
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
    if (moved === cursor) throw new CommandFailed(`the mirror differs from the service in ${different.join(', ')}`);
    cursor = moved;
  }
  throw new CommandFailed(`the service changed ${TRIES} times while the mirror was compared; compare at a quieter time`);
}
