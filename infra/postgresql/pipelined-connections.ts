import type { Statement } from '../../domain/ports/database.ts';
import { PipelinedConnection } from './pipelined-connection.ts';
import type { Session } from './sessions.ts';

export type PipelinedConnections = ReturnType<typeof openPipelinedConnections>;

/** Order of preference: connected, without a slow statement. */
const rank = ({ connected, slow }: PipelinedConnection): number => (connected ? 0 : 2) + (slow ? 1 : 0);

/** A fixed set of connections. A statement goes to the one with the fewest statements in flight and without a slow one. */
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
