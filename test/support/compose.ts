import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CHECKOUT } from './production-tree.ts';

export interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly args: Readonly<Record<string, string | null>> };
  readonly scale?: string;
  readonly init?: boolean;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[];
  readonly profiles?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly mem_limit?: string;
  readonly restart?: string;
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly stop_grace_period?: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string; readonly required?: boolean }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly configs: { readonly proxy: { readonly file: string } };
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
}

/** The text with its variables substituted as by Compose, from the outside in. Throws for a required one that is missing. */
function interpolated(text: string, env: Readonly<Record<string, string>>): string {
  const start = text.indexOf('${');
  if (start < 0) return text;
  const end = closingBrace(text, start + 2);
  const [, name = '', kind, rest = ''] = /^(\w+)(?::([-?+])(.*))?$/s.exec(text.slice(start + 2, end))!;
  const value = env[name] ?? '';
  if (kind === '?' && value === '') throw new Error(`required variable ${name} is missing a value: ${rest}`);
  const isRest = kind === '+' ? value !== '' : kind === '-' && value === '';
  const replacement = isRest ? interpolated(rest, env) : kind === '+' ? '' : value;
  return text.slice(0, start) + replacement + interpolated(text.slice(end + 1), env);
}

function closingBrace(text: string, from: number): number {
  let open = 1;
  for (let at = from; ; at += 1) {
    if (text[at] === '{') open += 1;
    if (text[at] === '}') open -= 1;
    if (open === 0) return at;
  }
}

/** Parses what Compose reads from `compose.yaml` with these variables in `.env`. */
export const readCompose = (env: Readonly<Record<string, string>>): ComposeFile =>
  parse(interpolated(readFileSync(join(CHECKOUT, 'compose.yaml'), 'utf8'), env), { merge: true }) as ComposeFile;

/** The image of a service, so that tests run the version that `compose.yaml` names. */
export const imageOf = (service: string): string => readCompose({ POSTGRES_PASSWORD: 'x' }).services[service]!.image!;
