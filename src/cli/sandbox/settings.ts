import { z } from 'zod';
import { API_KEY_VARIABLE } from '../../../domain/key-secret.ts';
import type { Plans } from '../../../domain/plans.ts';
import { allowedBy } from '../../setting-values.ts';
import { readSettings, SETTING_SECTIONS, type Settings } from '../../settings.ts';

/** Settings of these sections may be given; of all others only those that are named here: nothing leads to data or money that is real. */
const SECTIONS = ['Listeners and proxies', 'Plans and limits', 'Logs and traces'] as const;
const NAMES = ['CIVIC_REPLAY_RETENTION', 'CIVIC_SNAPSHOT_LIFETIME', 'CIVIC_STATEMENT_TIMEOUT'] as const;
const TAKEN = new Set<string>([...SECTIONS.flatMap((section) => Object.keys(SETTING_SECTIONS[section] ?? {})), ...NAMES]);

/** Of no one: the sandbox pays and settles in memory. */
const PAY_TO = '0x00000000000000000000000000000000000c1c0e';
/** The rest of what the settings of a sandbox are. A port is free unless it is given. */
const DEFAULTS = { CIVIC_HTTP_PORT: '0', CIVIC_OPS_PORT: '0', CIVIC_LOG_LEVEL: 'warn' };

/** Reads a value as a setting of this kind is read, and refuses it with what is allowed. */
export const asSetting = <Value>(kind: z.ZodType<Value>) =>
  z.unknown().transform((given, context) => {
    const parsed = kind.safeParse(given);
    if (parsed.success) return parsed.data;
    context.addIssue({ code: 'custom', message: `allowed is ${allowedBy(kind)}` });
    return z.NEVER;
  });

export type ChangeablePlans = { -readonly [Name in keyof Plans]: Plans[Name] };

/** Settings on a data directory of its own. Admission reads the plans at each request: a change of `plans` changes the allowances. */
export function sandboxSettings(
  environment: NodeJS.ProcessEnv,
  { dataDir, facilitatorUrl }: { readonly dataDir: string; readonly facilitatorUrl: string },
): { readonly settings: Settings; readonly plans: ChangeablePlans; readonly left: readonly string[] } {
  const stated = Object.entries(environment).filter(([name, value]) => value !== '' && /^(CIVIC|KAFKA|DATABASE|EVENTSTORE)_/.test(name));
  const left = stated.map(([name]) => name).filter((name) => !TAKEN.has(name) && name !== API_KEY_VARIABLE);
  const given = Object.fromEntries(Object.entries(environment).filter(([name, value]) => value !== '' && TAKEN.has(name)));
  const { settings } = readSettings({
    ...DEFAULTS,
    ...given,
    CIVIC_DATA_DIR: dataDir,
    CIVIC_SAMPLE: 'on',
    CIVIC_X402_PAY_TO: PAY_TO,
    CIVIC_X402_FACILITATOR_URL: facilitatorUrl,
  });
  const plans = { ...settings.CIVIC_PLANS };
  return { settings: { ...settings, CIVIC_PLANS: plans }, plans, left };
}
