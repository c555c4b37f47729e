import { promisify } from 'node:util';
import { EventStoreDBClient } from '@eventstore/db-client';
import streamsGrpc, { type StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { LogUnavailable } from '../../domain/ports/event-log.ts';
import { certificateProblem } from './certificate.ts';
import { isConnectionLoss, NotReached } from './wire-errors.ts';

const SCHEMES = /^(?:kurrentdb|kurrent|kdb|esdb)(\+discover)?:\/\//;

/** Replaces newer schemes by the equivalent `esdb://`, the only one that the client accepts. */
const connectionText = (url: string): string =>
  url.replace(SCHEMES, (_, discover: string | undefined) => `esdb${discover ?? ''}://`);
type ReadCall = Parameters<StreamsClient['read']>;
type CallOptions = NonNullable<ReadCall[2]>;
type Metadata = Exclude<ReadCall[1], Partial<CallOptions> | undefined>;
type Channel = ReturnType<StreamsClient['getChannel']>;

/**
 * Protected methods of the client, which reconnect the channel after a loss and move it to the leader. The public
 * methods would change the bytes of the data and the identity of the log: docs/decisions/kurrentdb-calls.md.
 */
interface ClientInside {
  execute<Result>(
    service: typeof StreamsClient,
    what: string,
    action: (client: StreamsClient) => Promise<Result>,
  ): Promise<Result>;
  callArguments(
    base: { readonly requiresLeader: boolean },
    options: Partial<CallOptions>,
  ): [Metadata, Partial<CallOptions>];
}

const STATE = { ready: 2, transientFailure: 3, shutdown: 4 };
const CONNECT_MS = 5_000;
const ATTEMPTS = 5;

/**
 * Waits until the channel is open. Returns false if the client has closed it. Throws `NotReached` if the connection
 * fails.
 */
async function isChannelOpen(channel: Channel): Promise<boolean> {
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

/**
 * Connects on first use and after each loss. Every call goes to the leader, so that no read comes from a lagging node.
 */
export function openWire(url: string) {
  // A subclass cannot reach the protected methods: `connectionString` creates an instance of the base class.
  const client = EventStoreDBClient.connectionString(connectionText(url)) as unknown as ClientInside;
  const calls = new Set<Cancellable>();
  let channel: Channel | undefined;
  let closed = false;
  let certificateCheck: Promise<string | null> | undefined;
  /** Checks the certificate, once for all calls that fail at the same moment. */
  const checkCertificate = async (): Promise<NotReached | null> => {
    certificateCheck ??= certificateProblem(url).finally(() => (certificateCheck = undefined));
    const problem = await certificateCheck;
    return problem === null ? null : new NotReached(problem);
  };
  const refuseIfClosed = (): void => {
    if (closed) throw new LogUnavailable('the log was closed; nothing was sent');
  };
  return {
    /**
     * Runs a call, which `close` cancels. `deadlineMs` is null for a call without an end. Throws `NotReached` when
     * offline.
     */
    async call<Call extends Cancellable, Result>(
      deadlineMs: number | null,
      begin: (client: StreamsClient, metadata: Metadata, options: Partial<CallOptions>) => Call,
      use: (call: Call) => Promise<Result>,
    ): Promise<Result> {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        refuseIfClosed();
        let wasOpen = false;
        const executed = client.execute(streamsGrpc.StreamsClient, 'call', async (streams) => {
          channel = streams.getChannel();
          if (!(await isChannelOpen(channel))) return undefined;
          refuseIfClosed();
          wasOpen = true;
          const deadline = deadlineMs === null ? Infinity : new Date(Date.now() + deadlineMs);
          const call = begin(streams, ...client.callArguments({ requiresLeader: true }, { deadline }));
          calls.add(call);
          return { result: await use(call).finally(() => calls.delete(call)) };
        });
        const outcome = await executed.catch(async (error: unknown) => {
          if (wasOpen || closed || !(error instanceof NotReached || isConnectionLoss(error))) throw error;
          throw (await checkCertificate()) ?? error;
        });
        if (outcome !== undefined) return outcome.result;
        // The client discards a lost channel asynchronously.
        await new Promise((resolve) => setImmediate(resolve));
      }
      throw new NotReached('the connection to the log was lost repeatedly');
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
