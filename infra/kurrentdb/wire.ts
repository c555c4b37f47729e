import { promisify } from 'node:util';
import { EventStoreDBClient } from '@eventstore/db-client';
import streamsGrpc, { type StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { LogUnavailable } from '../../domain/ports/event-log.ts';
import { certificateProblem } from './certificate.ts';
import { isConnectionLoss, NotReached } from './wire-errors.ts';

const SCHEMES = /^(?:kurrentdb|kurrent|kdb|esdb)(\+discover)?:\/\//;

/** The connection string with the scheme `esdb://`, which newer schemes equal and the client requires. */
const connectionText = (url: string): string => url.replace(SCHEMES, (_, discover: string | undefined) => `esdb${discover ?? ''}://`);
type ReadCall = Parameters<StreamsClient['read']>;
type CallOptions = NonNullable<ReadCall[2]>;
type Metadata = Exclude<ReadCall[1], Partial<CallOptions> | undefined>;
type Channel = ReturnType<StreamsClient['getChannel']>;

/**
 * Calls use the channel of the client, which reopens it after a loss and moves it to the leader. The functions of the client itself parse
 * data, which changes bytes, read `$all` without a filter, and share batch answers among all clients of a process, where a failure of one
 * rejects the appends of another.
 */
interface ClientInside {
  execute<Result>(service: typeof StreamsClient, what: string, action: (client: StreamsClient) => Promise<Result>): Promise<Result>;
  callArguments(base: { readonly requiresLeader: boolean }, options: Partial<CallOptions>): [Metadata, Partial<CallOptions>];
}

const STATE = { ready: 2, transientFailure: 3, shutdown: 4 };
const CONNECT_MS = 5_000;
const ATTEMPTS = 5;

/** Resolves once the channel is open, to false where the client has closed it. Throws `NotReached` when it is refused. */
async function standing(channel: Channel): Promise<boolean> {
  const deadline = Date.now() + CONNECT_MS;
  const changed = promisify(channel.watchConnectivityState.bind(channel));
  for (;;) {
    const state = channel.getConnectivityState(true);
    const current: number = state;
    if (current === STATE.ready) return true;
    if (current === STATE.shutdown) return false;
    if (current === STATE.transientFailure) throw new NotReached('the log could not be reached, or went away');
    await changed(state, deadline).catch((cause: unknown) => {
      throw new NotReached('the log could not be reached, or went away', { cause });
    });
  }
}

export interface Cancellable {
  cancel(): void;
}

/** Connects on first use and after each loss. Every call requires the leader, so that no read comes from a node that lags. */
export function openWire(url: string) {
  const client = EventStoreDBClient.connectionString(connectionText(url)) as unknown as ClientInside;
  const calls = new Set<Cancellable>();
  let channel: Channel | undefined;
  let closed = false;
  let asking: Promise<string | null> | undefined;
  /** Calls that fail at the same moment share one check of the certificate. */
  const refusedCertificate = async (): Promise<NotReached | null> => {
    asking ??= certificateProblem(url).finally(() => (asking = undefined));
    const problem = await asking;
    return problem === null ? null : new NotReached(problem);
  };
  const refuseIfClosed = (): void => {
    if (closed) throw new LogUnavailable('the log was closed; nothing was sent');
  };
  return {
    /** `close` cancels the call. `deadlineMs` is null for a call without an end. Throws `NotReached` without a connection. */
    async call<Call extends Cancellable, Result>(
      deadlineMs: number | null,
      begin: (client: StreamsClient, metadata: Metadata, options: Partial<CallOptions>) => Call,
      use: (call: Call) => Promise<Result>,
    ): Promise<Result> {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        refuseIfClosed();
        let stood = false;
        const executed = client.execute(streamsGrpc.StreamsClient, 'call', async (streams) => {
          channel = streams.getChannel();
          if (!(await standing(channel))) return undefined;
          refuseIfClosed();
          stood = true;
          const deadline = deadlineMs === null ? Infinity : new Date(Date.now() + deadlineMs);
          const call = begin(streams, ...client.callArguments({ requiresLeader: true }, { deadline }));
          calls.add(call);
          return { result: await use(call).finally(() => calls.delete(call)) };
        });
        const outcome = await executed.catch(async (error: unknown) => {
          if (stood || closed || !(error instanceof NotReached || isConnectionLoss(error))) throw error;
          throw (await refusedCertificate()) ?? error;
        });
        if (outcome !== undefined) return outcome.result;
        // The client drops a lost channel asynchronously.
        await new Promise((resolve) => setImmediate(resolve));
      }
      throw new NotReached('the connection to the log was lost again and again');
    },
    get closed() {
      return closed;
    },
    close() {
      closed = true;
      for (const call of calls) call.cancel();
      channel?.close();
    },
  };
}
export type Wire = ReturnType<typeof openWire>;
