import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { derivedId } from '../../domain/identifiers.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Answered, Installation } from './service.ts';

interface Line {
  readonly id: string;
  /** Unique content; null removes. */
  readonly token: string | null;
}

export interface WriterPlan {
  readonly name: string;
  readonly random: SeededRandom;
  readonly linesAFile: number;
  /** Number of times an import is killed and run again. */
  readonly killed: number;
  /** The probability of an invalid line after each line; such lines are refused. Default: 0. */
  readonly bad?: number;
  /**
   * True if an import that was not killed and began at that `performance` time might have failed; it is then repeated.
   */
  readonly excuses?: (answer: Answered, startedAt: number) => boolean;
}

const OWN_IDS = 150;
const SHARED_IDS = 80;

/** Imports files of changes one after the other, each in a separate process, and records what was acknowledged. */
export class ImportingWriter {
  /** Expected content of the records that only this writer changes: the token, null for a removed one. */
  readonly own = new Map<string, string | null>();
  /** Tokens that must be in the feed. */
  readonly acknowledged: string[] = [];
  /** Files that were imported in one go, so that each of their tokens is in the feed exactly once. */
  readonly inOneGo: string[] = [];
  imports = 0;
  appended = 0;
  kills = 0;
  readonly #plan: WriterPlan;

  constructor(plan: WriterPlan) {
    this.#plan = plan;
  }

  /** Imports one file until it is acknowledged. Throws when an import that was not killed fails. */
  async importOne(installation: Installation): Promise<void> {
    const { name, random, killed } = this.#plan;
    const lines = this.#makeLines();
    const bad = this.#makeBadLines(lines.length);
    const file = join(installation.folder, `${name}-${this.imports}.ndjson`);
    writeFileSync(
      file,
      lines.map((line, at) => `${JSON.stringify(toChange(line))}\n${bad.has(at) ? 'no change\n' : ''}`).join(''),
    );
    for (let attempt = 0; ; attempt += 1) {
      const startedAt = performance.now();
      const running = installation.run(['records', 'import', file, '--json']);
      const timer = random.chance(killed)
        ? setTimeout(() => running.kill('SIGKILL'), 200 + random.next() * 2500)
        : undefined;
      const answer = await running.ended;
      clearTimeout(timer);
      if (answer.signal === 'SIGKILL' && timer !== undefined) {
        this.kills += 1;
        continue;
      }
      if (this.#plan.excuses?.(answer, startedAt) === true) continue;
      this.#acknowledge(lines, answer, { inOneGo: attempt === 0, bad: bad.size });
      return;
    }
  }

  #makeLines(): readonly Line[] {
    const { name, random, linesAFile } = this.#plan;
    return Array.from({ length: linesAFile }, (_, line) => ({
      id: random.chance(0.7)
        ? derivedId('writer', name, random.below(OWN_IDS))
        : derivedId('writer', 'shared', random.below(SHARED_IDS)),
      token: random.chance(0.2) ? null : `${name}.${this.imports}.${line}`,
    }));
  }

  #makeBadLines(lines: number): ReadonlySet<number> {
    const { random, bad = 0 } = this.#plan;
    return bad === 0
      ? new Set()
      : new Set(Array.from({ length: lines }, (_, at) => at).filter(() => random.chance(bad)));
  }

  #acknowledge(lines: readonly Line[], answer: Answered, { inOneGo, bad }: { inOneGo: boolean; bad: number }): void {
    const good = bad === 0 ? answer.exitCode === 0 && answer.stderr === '' : answer.exitCode === 3;
    const counts = good ? (JSON.parse(answer.stdout) as Record<string, number>) : {};
    const { read, appended = 0, unchanged = 0, rejected } = counts;
    if (read !== lines.length + bad || appended + unchanged !== lines.length || rejected !== bad) {
      throw new Error(`import ${this.imports} of ${this.#plan.name}: ${JSON.stringify(answer)}`);
    }
    const shared = new Set(Array.from({ length: SHARED_IDS }, (_, number) => derivedId('writer', 'shared', number)));
    for (const { id, token } of lines) {
      if (!shared.has(id)) this.own.set(id, token);
      if (token !== null) this.acknowledged.push(token);
      if (token !== null && inOneGo) this.inOneGo.push(token);
    }
    this.imports += 1;
    this.appended += appended;
  }
}

const toChange = ({ id, token }: Line): object =>
  token === null
    ? { op: 'remove', resource: 'stream_records', id, reason: 'gone at the source' }
    : {
        op: 'upsert',
        resource: 'stream_records',
        id,
        data: {
          recordStreamId: derivedId('writer', 'stream'),
          sourceRecordId: id,
          title: token,
          summary: 'A permit for work that somebody wants to do. '.repeat(8).trim(),
          sourceUrl: 'https://records.example.org/permits',
          attributes: { token, open: true },
        },
      };
