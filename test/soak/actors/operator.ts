import { setTimeout as after } from 'node:timers/promises';
import { PROJECTIONS } from '../../../src/app/composition.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import type { Answered } from '../../support/service.ts';
import type { SoakAccount } from '../first-records.ts';
import type { World } from '../world.ts';

const PAUSE_MS = 2_000;
/** The messages of a command that loses its database. */
export const AWAY =
  /could not be reached|went away|could not be description|connection to the log was lost|in time|deadline|was taken over|no longer ours|leave|terminat|ECONN|timeout|Connection|given up|starting up|shutting down/i;

/** Rebuilds and verifies read models at random, issues keys and revokes them; a revoked key is refused from then on. */
export class Operator {
  readonly done = new Map<string, number>();
  readonly #world: World;
  readonly #account: SoakAccount;
  readonly #random: SeededRandom;

  constructor(world: World, account: SoakAccount, random: SeededRandom) {
    this.#world = world;
    this.#account = account;
    this.#random = random;
  }

  async work(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const { name } = PROJECTIONS[this.#random.below(PROJECTIONS.length)]!;
      const chance = this.#random.next();
      if (chance < 0.4) await this.#command(['projections', 'rebuild', name, '--json'], over);
      else if (chance < 0.8) await this.#command(['projections', 'verify', name, '--json'], over);
      else await this.#rotateKey(over);
      await after(this.#random.below(2 * PAUSE_MS), undefined, { signal: over }).catch(() => undefined);
    }
  }

  async #rotateKey(over: AbortSignal): Promise<void> {
    const issued = await this.#command(
      ['keys', 'issue', '--account', this.#account.accountId, '--scope', 'civic:read', '--json'],
      over,
    );
    if (issued === null) return;
    const { keyId, key } = JSON.parse(issued.stdout) as { keyId: string; key: string };
    const revoked = await this.#command(['keys', 'revoke', '--key', keyId, '--yes', '--json'], over);
    if (revoked === null || revoked.stderr !== '') return;
    for (const { name, baseUrl } of this.#world.api()) {
      const answer = await fetch(`${baseUrl}/api/v1/data/health`, {
        headers: { authorization: `Bearer ${key}` },
      }).catch(() => null);
      if (answer?.status === 200) this.#world.failures.add(`${name} let a revoked key in`);
      await answer?.body?.cancel();
    }
  }

  /** Null if it failed and a fault explains it. */
  async #command(args: readonly string[], over: AbortSignal): Promise<Answered | null> {
    const { installation, disturbances, failures } = this.#world;
    const from = performance.now();
    const running = installation.run(args);
    const stop = (): void => running.kill('SIGTERM');
    over.addEventListener('abort', stop, { once: true });
    const answer = await running.ended;
    over.removeEventListener('abort', stop);
    const what = args.slice(0, 2).join(' ');
    if (answer.exitCode === 0) {
      this.done.set(what, (this.done.get(what) ?? 0) + 1);
      return answer;
    }
    const excused = over.aborted || (disturbances.during(from, performance.now()) && AWAY.test(answer.stderr));
    if (!excused || /different from the log/.test(answer.stderr))
      failures.add(`${args.join(' ')}: ${answer.exitCode} ${answer.stderr.slice(-500)}${answer.stdout.slice(0, 800)}`);
    return null;
  }
}
