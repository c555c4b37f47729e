import type { Command } from '@commander-js/extra-typings';
import { type CliContext, CommandFailed } from '../context.ts';
import { examine } from '../doctor/examine.ts';
import { print } from '../output.ts';
import { runs } from '../verb.ts';

export function addDoctorCommand(program: Command, context: CliContext): void {
  const doctor = program
    .command('doctor')
    .description(
      'check settings, addresses, disk, database, schema, clock, event store, installation and brokers, and print what to do',
    )
    .addHelpText('after', '\nExits with 1 if a start or a write would fail, with 0 if there are only warnings.');
  runs(context, 'nothing', doctor, async (_, options) => {
    const findings = await examine(context.examination);
    print(context, findings, options);
    const broken = findings.filter(({ state }) => state === 'failed');
    if (broken.length > 0)
      throw new CommandFailed(`${broken.map(({ check }) => check).join(', ')}: see what to do above`);
  });
}
