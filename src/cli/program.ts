import { Command } from 'commander';
import type { CliContext } from './context.ts';
import { addAccountsCommands } from './commands/accounts.ts';
import { addCursorCommands } from './commands/cursor.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addKeysCommands } from './commands/keys.ts';
import { addLogCommands } from './commands/log.ts';
import { addPaymentsCommands } from './commands/payments.ts';
import { addProjectionsCommands } from './commands/projections.ts';
import { addReactorsCommands } from './commands/reactors.ts';
import { addRecordsCommands } from './commands/records.ts';
import { addReplicateCommand } from './commands/replicate.ts';
import { addReportsCommands } from './commands/reports.ts';
import { addSampleCommands } from './commands/sample.ts';
import { addServeCommand } from './commands/serve.ts';
import { addSourcesCommands } from './commands/sources.ts';

/** The `civic` executable's commands (the operator's contract). Nothing runs until it is given arguments. */
export const createProgram = (context: CliContext): Command => {
  const program = new Command('civic')
    .description('local-government civic records of north-central Texas as an ordered, provable change feed')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
    });
  addServeCommand(program, context);
  addAccountsCommands(program, context);
  addKeysCommands(program, context);
  addAuditCommand(program, context);
  addRecordsCommands(program, context);
  addSourcesCommands(program, context);
  addPaymentsCommands(program, context);
  addProjectionsCommands(program, context);
  addReactorsCommands(program, context);
  addReportsCommands(program, context);
  addSampleCommands(program, context);
  addCursorCommands(program, context);
  addDoctorCommand(program, context);
  addLogCommands(program, context);
  addReplicateCommand(program, context);
  return program;
};
