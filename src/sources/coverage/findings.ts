import { z } from 'zod';
import { FAMILIES } from '../../domain/records/families.ts';
import { date, text, url } from '../../domain/records/fields.ts';
import findings from './data/findings.json' with { type: 'json' };

const about = { jurisdictionSlug: text, family: z.enum(FAMILIES) };

/** Something located has an address, a day and a word on what it was; what was not verified claims none of them. */
const located = z.strictObject({ ...about, status: z.enum(['M', 'D', 'P']), officialSourceUrl: url, checkedOn: date, note: text });
const notOnline = z.strictObject({ ...about, status: z.enum(['R', 'N']), checkedOn: date, note: text });
const unverified = z.strictObject({ ...about, status: z.literal('U'), note: text });

const finding = z.discriminatedUnion('status', [located, notOnline, unverified]);
export type Finding = z.output<typeof finding>;

const research = z.strictObject({ researchDate: date, findings: z.array(finding) });
export type Research = z.output<typeof research>;

/** The form of the data file of findings; throws for what claims more or less than its status says. */
export const parseResearch = (value: unknown): Research => research.parse(value);

/** What research has found, in the project's own data file. Every family of a jurisdiction that it does not name is `U`. */
export const RESEARCH: Research = parseResearch(findings);
