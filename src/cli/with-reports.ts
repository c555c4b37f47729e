import { findReport, type KnownReport } from '../../queries/known-reports.ts';
import type { Civic } from '../civic.ts';
import { uuid } from '../domain/records/fields.ts';
import type { Rejection } from '../domain/rejections.ts';
import { type CliContext, CommandFailed } from './context.ts';
import { parseOption } from './options.ts';
import { withCivic } from './with-civic.ts';

/** Runs with read models that have seen all that the log holds. */
export const withReports = <Result>(context: CliContext, work: (civic: Civic) => Promise<Result>): Promise<Result> =>
  withCivic(context, { projector: true }, async (civic) => {
    await civic.settled(await civic.log.head());
    return work(civic);
  });

/** The report that an argument names. Throws `CommandFailed` for what is no uuid, and where there is none. */
export const reportOf = async (civic: Civic, argument: string): Promise<KnownReport> => {
  const reportId = parseOption('the report', uuid, argument, 'a uuid');
  const report = await findReport(civic.reads, reportId);
  if (report === null) throw new CommandFailed(`report_not_found: there is no report ${reportId}`);
  return report;
};

/** The refusal as a line that begins with its code. */
export const failedAs = ({ code, message }: Rejection): CommandFailed => new CommandFailed(`${code}: ${message}`);
