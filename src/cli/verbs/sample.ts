import type { Command } from 'commander';
import { LOG_START } from '../../../domain/ports/event-log.ts';
import { SAMPLE_ACCOUNT_ID } from '../../sources/first-run.ts';
import { sampleRemovals } from '../../sources/sample/sample-records.ts';
import type { CliContext } from '../context.ts';
import { runs, waitUntilVisible } from '../verb.ts';
import { commandAccount } from './accounts.ts';

export function addSampleCommands(program: Command, context: CliContext): void {
  const remove = program
    .command('sample')
    .description('the invented records of a first run')
    .command('remove')
    .description('remove the sample records and suspend their account');
  runs(context, 'projector', remove, async (civic) => {
    const { events } = await civic.log.readAll({ after: LOG_START, limit: 1 });
    const outcomes = await civic.writer.write(sampleRemovals(events[0]?.time ?? civic.clock.now()), {});
    const positions = outcomes.flatMap((outcome) => (outcome.kind === 'appended' ? outcome.position : []));
    await waitUntilVisible(context, civic, positions.toSorted().at(-1) ?? null);
    const known = (await civic.log.readLast([`account-${SAMPLE_ACCOUNT_ID}`])).size > 0;
    if (known) await commandAccount(context, civic, SAMPLE_ACCOUNT_ID, { type: 'SuspendAccount' });
    return { removed: positions.length, accountSuspended: known };
  });
}
