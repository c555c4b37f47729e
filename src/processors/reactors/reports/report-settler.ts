import { settleReport } from '../../../../commands/reports/settle-report.ts';
import type { FoldParts } from '../../../../commands/fold-stream.ts';
import { readReportEvent } from '../../../../domain/events/report-events.ts';
import { derivedId } from '../../../../domain/identifiers.ts';
import type { Clock } from '../../../../domain/ports/clock.ts';
import type { Reactor } from '../../../../domain/ports/reactors.ts';
import { isClosedStatus } from '../../../../domain/report-transitions.ts';
import { streamId } from '../../../../domain/streams.ts';

export const REPORT_SETTLER = 'report_settler';

const DEADLINE_MS = 30_000;

/**
 * Records every closed report on its account's stream. It follows the log, so a crash in between is repaired by
 * going on; until then the account counts the report as unresolved, which can refuse and never exceed.
 */
export const createReportSettler = (deps: FoldParts & { readonly clock: Clock }): Reactor => ({
  name: REPORT_SETTLER,
  follows: ['DataReportMoved'],
  begin: () => async (batch, running) => {
    for (const stored of batch) {
      const event = readReportEvent(stored);
      if (event.type !== 'DataReportMoved' || !isClosedStatus(event.data.to)) continue;
      running.signal.throwIfAborted();
      const { accountId, movedAt: closedAt } = event.data;
      const commandId = derivedId('settle report', stored.id);
      const settling = { accountId, reportId: streamId(stored.stream), closedAt, commandId, causedBy: stored.id };
      const handled = await settleReport(deps, settling, deps.clock.now() + DEADLINE_MS);
      if (handled.kind === 'rejected') throw handled.rejection;
    }
  },
});
