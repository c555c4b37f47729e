import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { API_KEY_VARIABLE } from '../../domain/key-secret.ts';
import type { z } from 'zod';
import { type Setting, SETTINGS } from './setting-sections.ts';
import { allowedBy, isSecret } from './setting-values.ts';

/** A setting that prevents the start. The message names the setting, its value and the allowed values in one line. */
export class BadSetting extends Error {
  override readonly name = 'BadSetting';
}

type Name = keyof typeof SETTINGS;
type ParsedValue<N extends Name> =
  | z.output<(typeof SETTINGS)[N][0]>
  | ((typeof SETTINGS)[N][1] extends string ? never : undefined);
export type Settings = { readonly [N in Name]: ParsedValue<N> };

/**
 * Returns the name of the variable that names a file with the value, or null for a setting that is not secret. The
 * library of OpenTelemetry reads its own variables, so these need the value.
 */
export const fileVariable = (name: string, schema: z.ZodType): string | null =>
  isSecret(schema) && !name.startsWith('OTEL_') ? `${name}_FILE` : null;

const FILE_VARIABLES: ReadonlySet<string> = new Set(
  Object.entries<Setting>(SETTINGS).flatMap(([name, [schema]]) => fileVariable(name, schema) ?? []),
);

/**
 * Reads the settings, and secret ones from the files that `<NAME>_FILE` names. Warns about an unknown `CIVIC_…` name and
 * throws `BadSetting` for a bad value.
 */
export function readSettings(environment: NodeJS.ProcessEnv): {
  readonly settings: Settings;
  readonly warnings: readonly string[];
} {
  const settings: Record<string, unknown> = {};
  for (const [name, [schema, fallback]] of Object.entries<Setting>(SETTINGS)) {
    const defaultText = typeof fallback === 'string' ? fallback : undefined;
    const file = fileOf(environment, name, schema);
    const text = (file === undefined ? environment[name] : readSecret(name, file)) || defaultText;
    if (text === undefined) continue;
    const parsed = schema.safeParse(text);
    if (!parsed.success) {
      const printable = isSecret(schema) ? 'not usable' : JSON.stringify(text);
      const where = file === undefined ? name : `${name}, read from ${file},`;
      throw new BadSetting(`${where} is ${printable}; allowed is ${allowedBy(schema)}`);
    }
    settings[name] = parsed.data;
  }
  const unknown = Object.keys(environment).filter((name) => name.startsWith('CIVIC_') && !isKnown(name));
  return {
    settings: settings as Settings,
    warnings: unknown.map((name) => `unknown setting ${name}; known are ${Object.keys(SETTINGS).join(', ')}`),
  };
}

const isKnown = (name: string): boolean =>
  name === API_KEY_VARIABLE || Object.hasOwn(SETTINGS, name) || FILE_VARIABLES.has(name);

/** Returns the path of the file that holds the value, or undefined. Throws `BadSetting` if the value is set too. */
function fileOf(environment: NodeJS.ProcessEnv, name: string, schema: z.ZodType): string | undefined {
  const variable = fileVariable(name, schema);
  const file = variable === null ? undefined : environment[variable] || undefined;
  if (file === undefined) return undefined;
  if (environment[name]) throw new BadSetting(`${name} and ${variable} are both set: unset one`);
  // The value is not printed: an operator who confuses the two variables has put the secret here.
  if (!isAbsolute(file)) throw new BadSetting(`${variable} is not usable; allowed is the absolute path of a file`);
  return file;
}

/** Reads a secret from a file, without the white space around it. An error names the file, never its content. */
function readSecret(name: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new BadSetting(`${name}_FILE names ${file}, which cannot be read (${code ?? message})`);
  }
  if (text === '') throw new BadSetting(`${name}_FILE names ${file}, which is empty`);
  return text;
}
