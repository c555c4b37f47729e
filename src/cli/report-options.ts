import { z } from 'zod';
import { REPORT_SWITCHES, type ReportSwitch } from '../domain/report-switches.ts';
import { REPORT_REASONS, REPORT_STATUSES, type ReportReason, type ReportStatus } from '../domain/report-words.ts';
import { duration } from '../settings.ts';
import { parseOption } from './options.ts';

const holder = z.string().trim().min(1).max(200);
const limit = z
  .string()
  .regex(/^[1-9]\d{0,3}$/)
  .transform(Number);

export const listOf = (text: string): readonly string[] => text.split(',').map((part) => part.trim());

export const reportStatus = (name: string, text: string): ReportStatus =>
  parseOption<ReportStatus>(name, z.enum(REPORT_STATUSES), text, REPORT_STATUSES.join(', '));

export const reportReason = (name: string, text: string): ReportReason =>
  parseOption<ReportReason>(name, z.enum(REPORT_REASONS), text, REPORT_REASONS.join(', '));

export const reportSwitch = (text: string): ReportSwitch =>
  parseOption<ReportSwitch>('the switch', z.enum(REPORT_SWITCHES), text, REPORT_SWITCHES.join(' or '));

export const holderName = (name: string, text: string): string => parseOption<string>(name, holder, text, '1 to 200 characters');

const DAY_MS = 86_400_000;
const CENTURY_DAYS = 36_525;

/** A duration in whole milliseconds, of so many days at most. */
export const durationMs = (name: string, text: string, longestDays = CENTURY_DAYS): number =>
  parseOption<number>(
    name,
    duration.transform(Math.ceil).refine((milliseconds) => milliseconds <= longestDays * DAY_MS),
    text,
    `an ISO 8601 duration such as PT1H or P1D, ${longestDays === CENTURY_DAYS ? 'a century' : `P${longestDays}D`} at most`,
  );

export const rowLimit = (name: string, text: string): number => parseOption<number>(name, limit, text, 'a whole number from 1 to 9999');
