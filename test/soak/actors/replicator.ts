import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answered, Running } from '../../support/service.ts';
import { type SeededRandom, seededRandom } from '../../support/seeded-random.ts';
import { openUnreliableProxy } from '../../support/unreliable-proxy.ts';
import type { World } from '../world.ts';

const DAMAGED_PART = 0.1;

/** The real mirror, `civic replicate --follow`, behind a proxy that damages answers, killed and started again on the same store. */
export class Replicator {
  kills = 0;
  damaged = 0;
  readonly name: string;
  readonly #world: World;
  readonly #random: SeededRandom;
  readonly #arguments: readonly string[];
  #running: Running | undefined;

  constructor(world: World, name: string, key: string, random: SeededRandom) {
    this.#world = world;
    this.name = name;
    this.#random = random;
    const { folder } = world.installation;
    const file = join(folder, `${name}.key`);
    writeFileSync(file, key);
    const to = random.chance(0.5) ? join(folder, name) : `sqlite:${join(folder, `${name}.db`)}`;
    this.#arguments = ['replicate', '--key-file', file, '--to', to];
  }

  #front(): string {
    return `http://127.0.0.1:${this.#world.front.port}`;
  }

  async follow(over: AbortSignal): Promise<void> {
    const proxy = await openUnreliableProxy(
      () => this.#front(),
      seededRandom(this.#random.below(2 ** 32)),
      DAMAGED_PART,
    );
    try {
      await this.#follow(over, proxy.baseUrl);
    } finally {
      this.damaged = proxy.faults.values().reduce((sum, times) => sum + times, 0);
      await proxy.close();
    }
  }

  async #follow(over: AbortSignal, baseUrl: string): Promise<void> {
    while (!over.aborted) {
      const running = this.#world.installation.run([...this.#arguments, '--base-url', baseUrl, '--follow']);
      this.#running = running;
      const kill = setTimeout(() => running.kill('SIGKILL'), 4_000 + this.#random.below(12_000));
      const stop = (): void => running.kill('SIGTERM');
      over.addEventListener('abort', stop, { once: true });
      const ended = await running.ended;
      clearTimeout(kill);
      over.removeEventListener('abort', stop);
      if (ended.signal === 'SIGKILL') this.kills += 1;
      else if (!over.aborted)
        this.#world.failures.add(`${this.name} ended by itself: ${ended.exitCode} ${ended.stderr.slice(-400)}`);
    }
  }

  get pid(): number | undefined {
    return this.#running?.pid;
  }

  /** Brings the mirror to the head and compares it with the digests of the service. */
  verify(): Promise<Answered> {
    return this.#world.installation.civic([
      ...this.#arguments,
      '--base-url',
      this.#front(),
      '--once',
      '--verify',
      '--json',
    ]);
  }
}
