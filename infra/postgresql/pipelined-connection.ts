import { Client, type ClientBase } from 'pg';
import { Backoff } from '../../domain/retry.ts';
import { DatabaseUnavailable, DeadlineExceeded, type Statement, type TextRow } from '../../domain/ports/database.ts';
import { isConnectionLoss, isNotPrepared, mapError } from './errors.ts';
import { clientConfig, CONNECT_TIMEOUT_MS, type Session } from './sessions.ts';

const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1_000;
const SWEEP_MS = 50;
const DEFAULT_GRACE_MS = 1_000;
/** Milliseconds after the deadline of the server until a silent connection counts as dead. */
const DEAD_AFTER_MS = 1_000;
/** A pooler that gives each statement another session has no prepared statement for any of them. */
const MAX_RESENDS = 20;
/** A statement that runs for longer delays the statements behind it noticeably. */
const SLOW_MS = 100;

export interface Answer {
  readonly rows: readonly TextRow[];
  readonly count: number;
}

export async function execute(client: ClientBase, statement: Statement): Promise<Answer> {
  const { rows, rowCount } = await client.query<(string | null)[]>({
    ...statement,
    values: statement.values as unknown[],
    rowMode: 'array',
  });
  return { rows, count: rowCount ?? 0 };
}

interface Pending {
  readonly deadline: number;
  readonly reject: (error: Error) => void;
}

/** One connection that sends statements without waiting for answers. After a loss the next statement connects again. */
export class PipelinedConnection {
  readonly #session: Session;
  readonly #pending = new Set<Pending>();
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  /** When the server could begin its current statement; its deadline counts from then. */
  #begunAt = 0;
  readonly #backoff = new Backoff(FIRST_BACKOFF_MS, MAX_BACKOFF_MS);
  #retryAt = 0;
  #closed = false;

  constructor(session: Session) {
    this.#session = session;
  }

  get pending(): number {
    return this.#pending.size;
  }
  get connected(): boolean {
    return this.#client !== undefined;
  }

  /** True while a slow statement delays others on this connection. */
  get slow(): boolean {
    return this.#pending.size > 0 && performance.now() - this.#begunAt > SLOW_MS;
  }

  /** Throws `DatabaseUnavailable` or `DeadlineExceeded`; an error of the statement itself stays as it is. */
  async run(statement: Statement): Promise<Answer> {
    const deadline = performance.now() + this.#timeoutMs;
    for (let left = MAX_RESENDS; ; left -= 1) {
      try {
        return await this.#send(statement, deadline);
      } catch (error) {
        // The first statement of this name failed before it was prepared, and those after it were sent without their text.
        if (!isNotPrepared(error) || left === 0 || performance.now() > deadline) throw error;
      }
    }
  }

  get #timeoutMs(): number {
    const { statementTimeoutMs = Number.POSITIVE_INFINITY, graceMs = DEFAULT_GRACE_MS } = this.#session;
    return statementTimeoutMs + graceMs;
  }

  async #send(statement: Statement, deadline: number): Promise<Answer> {
    const client = this.#client ?? (await this.connect());
    return await new Promise<Answer>((resolve, reject) => {
      const pending: Pending = { deadline, reject };
      if (this.#pending.size === 0) this.#begunAt = performance.now();
      this.#pending.add(pending);
      execute(client, statement)
        .then(resolve, (error: unknown) => {
          if (isConnectionLoss(error)) this.#lose(client);
          reject(mapError(error));
        })
        .finally(() => {
          this.#pending.delete(pending);
          this.#begunAt = performance.now();
        });
    });
  }

  /** Connects unless connected. Fails at once during the pause after a failed attempt. */
  async connect(): Promise<Client> {
    if (this.#closed) throw new DatabaseUnavailable('the connection was closed');
    if (this.#client !== undefined) return this.#client;
    if (this.#connecting === undefined) {
      if (performance.now() < this.#retryAt) throw new DatabaseUnavailable('the database could not be reached a moment ago');
      this.#connecting = this.#open().finally(() => (this.#connecting = undefined));
    }
    return await this.#connecting;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweeper);
    const client = this.#client ?? (await this.#connecting?.catch(() => undefined));
    this.#client = undefined;
    await client?.end();
  }

  async #open(): Promise<Client> {
    const client = new Client({ ...clientConfig(this.#session), pipeline: true });
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    try {
      await client.connect();
      // Nothing was sent on it yet: no other deadline would end it.
      const setUp = { text: this.#session.onConnect ?? '', query_timeout: CONNECT_TIMEOUT_MS };
      if (setUp.text !== '') await client.query(setUp);
    } catch (error) {
      void client.end().catch(() => undefined);
      this.#retryAt = performance.now() + this.#backoff.take();
      throw mapError(error);
    }
    this.#backoff.reset();
    this.#client = client;
    clearInterval(this.#sweeper);
    this.#sweeper = setInterval(() => this.#sweep(client), SWEEP_MS).unref();
    return client;
  }

  /** Rejects all waiting statements: a server that is read-only or silent would hold them until their deadlines. */
  #lose(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    clearInterval(this.#sweeper);
    client.connection.stream.destroy();
  }

  /** Rejects statements whose deadline has passed. The connection stays open while the server answers statements. */
  #sweep(client: Client): void {
    const now = performance.now();
    for (const { deadline, reject } of this.#pending) {
      if (deadline <= now) reject(new DeadlineExceeded('the database did not answer by the deadline'));
    }
    if (this.#pending.size > 0 && this.#begunAt + this.#timeoutMs + DEAD_AFTER_MS <= now) this.#lose(client);
  }
}

export type PipelinedConnections = ReturnType<typeof openPipelinedConnections>;

/** Order of preference: connected, without a slow statement. */
const rank = ({ connected, slow }: PipelinedConnection): number => (connected ? 0 : 2) + (slow ? 1 : 0);

/** A statement goes to the connection with the fewest statements in flight and without a slow one. */
export function openPipelinedConnections(session: Session, count: number) {
  const connections = Array.from({ length: count }, () => new PipelinedConnection(session));
  const choose = (): PipelinedConnection => {
    let best = connections[0]!;
    for (const each of connections) {
      if (!each.connected) void each.connect().catch(() => undefined);
      const better = rank(each) - rank(best);
      if (better < 0 || (better === 0 && each.pending < best.pending)) best = each;
    }
    return best;
  };
  return {
    run: async (statement: Statement) => await choose().run(statement),
    use: () => {
      const busy = connections.filter(({ pending }) => pending > 0).length;
      const under = connections.reduce((sum, { pending }) => sum + pending, 0);
      return { open: connections.filter(({ connected }) => connected).length, busy, waiting: under - busy };
    },
    close: async () => void (await Promise.all(connections.map((each) => each.close()))),
  };
}
