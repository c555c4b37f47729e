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

/** A duration in milliseconds. */
export const durationMs = (name: string, text: string): number =>
  parseOption<number>(name, duration, text, 'an ISO 8601 duration such as PT1H or P1D');

export const rowLimit = (name: string, text: string): number => parseOption<number>(name, limit, text, 'a whole number from 1 to 9999');
