import type { Clock } from '../../domain/ports/clock.ts';
import { HOUR_MS } from '../../domain/durations.ts';
import { SourceUnavailable } from '../../domain/ports/source-ports.ts';
import robotsParser from 'robots-parser';
import { unlessAborted } from './host-turns.ts';

/** Maximum bytes of a robots.txt that are read. RFC 9309 requires at least 500 KiB. */
export const MAX_ROBOTS_BYTES = 512 * 1024;
/** Name of this program in a robots.txt. */
const NAME = 'civic-records';
/** Maximum product of the characters of the rules and of a path: each `*` costs the length of the path. */
const MAX_COMPARISONS = 10_000_000;
const MAX_HOSTS = 1_000;

/** The package exports a function; its types describe a default export. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

/** Decides by one robots.txt. */
export type IsAllowed = (address: URL) => boolean;

/** Returns the rules for this program; those for all programs if it is not named. */
function rulesFor(text: string): readonly string[] {
  const groups = new Map<string, string[]>();
  let agents = new Set<string>();
  let hasRules = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, field, value] = /^\s*([\w-]+)\s*:\s*([^#]*)/.exec(line) ?? [];
    if (field === undefined || value === undefined) continue;
    if (/^user-agent$/i.test(field)) {
      if (hasRules) [agents, hasRules] = [new Set(), false];
      const [agent] = value.trim().toLowerCase().split('/', 1) as [string];
      if (agent !== NAME && agent !== '*') continue;
      agents.add(agent);
      if (!groups.has(agent)) groups.set(agent, []);
    } else if (/^(?:dis)?allow$/i.test(field)) {
      hasRules = true;
      for (const agent of agents) groups.get(agent)!.push(`${field}: ${value.trim()}`);
    }
  }
  return groups.get(NAME) ?? groups.get('*') ?? [];
}

/** Reads a robots.txt. `origin` is that of the addresses that are decided. */
export function readRobots(origin: string, text: string): IsAllowed {
  const rules = rulesFor(text);
  const robots = parseRobots(`${origin}/robots.txt`, ['User-agent: *', ...rules].join('\n'));
  const length = rules.reduce((sum, rule) => sum + rule.length, 0);
  return ({ href, pathname, search }) => {
    if (length * (pathname.length + search.length) > MAX_COMPARISONS) return false;
    return robots.isAllowed(href, NAME) !== false;
  };
}

interface Entry {
  readonly until: number;
  readonly rules: Promise<IsAllowed>;
}

/** Remembers the robots.txt of each origin for an hour. Requests for the same one share one read. */
export class RobotsCache {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Throws the error of `read`, which is not remembered. */
  async rulesOf(origin: string, signal: AbortSignal | undefined, read: () => Promise<IsAllowed>): Promise<IsAllowed> {
    for (;;) {
      const entry = this.#entries.get(origin);
      if (entry === undefined || entry.until <= this.#clock.now()) return this.#read(origin, read);
      try {
        return await unlessAborted(entry.rules, signal);
      } catch (error) {
        signal?.throwIfAborted();
        // The caller that was reading might have been aborted.
        if (error instanceof SourceUnavailable) throw error;
      }
    }
  }

  async #read(origin: string, read: () => Promise<IsAllowed>): Promise<IsAllowed> {
    this.#entries.delete(origin);
    if (this.#entries.size >= MAX_HOSTS) this.#entries.delete(this.#entries.keys().next().value!);
    const entry = { until: this.#clock.now() + HOUR_MS, rules: read() };
    this.#entries.set(origin, entry);
    try {
      return await entry.rules;
    } catch (error) {
      if (this.#entries.get(origin) === entry) this.#entries.delete(origin);
      throw error;
    }
  }
}
