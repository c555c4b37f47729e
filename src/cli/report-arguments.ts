import type { Command } from 'commander';
import { z } from 'zod';
import { findReport, type KnownReport } from '../../queries/reports/known-reports.ts';
import { REPORT_SWITCHES, type ReportSwitch } from '../../domain/report-switches.ts';
import type { Civic } from '../civic.ts';
import { duration } from '../setting-values.ts';
import { CommandFailed } from './context.ts';
import { parseOption, uuidParser } from './verb.ts';

export const reportSwitch = (text: string): ReportSwitch =>
  parseOption<ReportSwitch>('the switch', z.enum(REPORT_SWITCHES), text, REPORT_SWITCHES.join(' or '));

/** The name of an operator or a lease holder. */
export const personName = (name: string, text: string): string =>
  parseOption(name, z.string().trim().min(1).max(200), text, '1 to 200 characters');

const DAY_MS = 86_400_000;
const CENTURY_DAYS = 36_525;

/** A duration in whole milliseconds, of at most so many days. */
export const durationMs = (name: string, text: string, maxDays = CENTURY_DAYS): number =>
  parseOption<number>(
    name,
    duration('PT1H')
      .transform(Math.ceil)
      .refine((milliseconds) => milliseconds <= maxDays * DAY_MS),
    text,
    `an ISO 8601 duration such as PT1H or P1D, ${maxDays === CENTURY_DAYS ? 'a century' : `P${maxDays}D`} at most`,
  );

export const rowLimit = (name: string, text: string): number =>
  Number(parseOption(name, z.string().regex(/^[1-9]\d{0,3}$/), text, 'a whole number from 1 to 9999'));

/** Adds the argument `<report>`, refused before the program is opened where it is no uuid. */
export const ofReport = (command: Command): Command => command.argument('<report>', '', uuidParser('the report'));

/** Throws `CommandFailed` for an unknown report. */
export async function reportOf(civic: Civic, reportId: string): Promise<KnownReport> {
  const report = await findReport(civic.reads, reportId);
  if (report === null) throw new CommandFailed(`report_not_found: there is no report ${reportId}`);
  return report;
}
