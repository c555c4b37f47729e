import { z } from 'zod';
import { API_KEY_VARIABLE } from '../../../domain/key-secret.ts';
import type { Plans } from '../../../domain/plans.ts';
import { allowedBy } from '../../app/setting-values.ts';
import { SETTING_SECTIONS } from '../../app/setting-sections.ts';
import { readSettings, type Settings } from '../../app/settings.ts';

/** A sandbox accepts the settings of these sections and the named ones. All others are ignored, so that nothing reaches real data or money. */
const SECTIONS = ['Listeners and proxies', 'Plans and limits', 'Logs and traces'] as const;
const NAMES = ['CIVIC_REPLAY_RETENTION', 'CIVIC_SNAPSHOT_LIFETIME', 'CIVIC_STATEMENT_TIMEOUT'] as const;
const ACCEPTED = new Set<string>([
  ...SECTIONS.flatMap((section) => Object.keys(SETTING_SECTIONS[section] ?? {})),
  ...NAMES,
]);

/** Nobody owns this address: the sandbox settles payments in memory. */
const PAY_TO = '0x00000000000000000000000000000000000c1c0e';
/** Defaults that differ from those of the service. Port 0 picks a free port. */
const DEFAULTS = { CIVIC_HTTP_PORT: '0', CIVIC_OPS_PORT: '0', CIVIC_LOG_LEVEL: 'warn' };

/** Parses a value like a setting of this kind; an error names the allowed values. */
export const asSetting = <Value>(kind: z.ZodType<Value>) =>
  z.unknown().transform((value, context) => {
    const parsed = kind.safeParse(value);
    if (parsed.success) return parsed.data;
    context.addIssue({ code: 'custom', message: `allowed is ${allowedBy(kind)}` });
    return z.NEVER;
  });

export type ChangeablePlans = { -readonly [Name in keyof Plans]: Plans[Name] };

/** Returns the settings of a sandbox on its own data directory. Admission reads the plans at each request, so changing `plans` changes the allowances. */
export function sandboxSettings(
  environment: NodeJS.ProcessEnv,
  { dataDir, facilitatorUrl }: { readonly dataDir: string; readonly facilitatorUrl: string },
): { readonly settings: Settings; readonly plans: ChangeablePlans; readonly left: readonly string[] } {
  const relevant = Object.entries(environment).filter(
    ([name, value]) => value !== '' && /^(CIVIC|KAFKA|DATABASE|EVENTSTORE)_/.test(name),
  );
  const ignored = relevant.map(([name]) => name).filter((name) => !ACCEPTED.has(name) && name !== API_KEY_VARIABLE);
  const accepted = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => value !== '' && ACCEPTED.has(name)),
  );
  const { settings } = readSettings({
    ...DEFAULTS,
    ...accepted,
    CIVIC_DATA_DIR: dataDir,
    CIVIC_SAMPLE: 'on',
    CIVIC_X402_PAY_TO: PAY_TO,
    CIVIC_X402_FACILITATOR_URL: facilitatorUrl,
  });
  const plans = { ...settings.CIVIC_PLANS };
  return { settings: { ...settings, CIVIC_PLANS: plans }, plans, left: ignored };
}
