import { spawn, spawnSync } from 'node:child_process';

/** True if `script` of util-linux, which runs a command in a terminal, is installed. */
export const HAS_TERMINAL = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '');
if (!HAS_TERMINAL) process.stderr.write('skipped: tests on a terminal, which need `script` of util-linux\n');

interface InTerminal {
  readonly columns: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Typed once the text has appeared. */
  readonly typed?: { readonly after: string; readonly text: string };
}

export interface Screen {
  readonly exitCode: number | null;
  /** All bytes that the terminal received. */
  readonly raw: string;
  /** Final content of the screen, line by line. */
  readonly screen: readonly string[];
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Runs a command with a terminal as its standard input, output and error. */
export async function inTerminal(
  command: readonly string[],
  { columns, cwd, env, typed }: InTerminal,
): Promise<Screen> {
  const line = `stty rows 24 cols ${columns} -echo && exec ${command.map(quoted).join(' ')}`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], { cwd, env: { SHELL: '/bin/sh', ...env } });
  let raw = '';
  let isTyped = typed === undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    raw += text;
    if (isTyped || !raw.includes(typed!.after)) return;
    isTyped = true;
    child.stdin.write(typed!.text);
  });
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { exitCode, raw, screen: screenOf(raw) };
}

const ESCAPE = '\u001b';
/** A colour or another style of text. */
export const STYLE = new RegExp(`${ESCAPE}\\[[\\d;]*m`);
const PARTS = new RegExp(`${ESCAPE}\\[K|${STYLE.source}|\r|\n|[^${ESCAPE}\r\n]+|${ESCAPE}`, 'g');

/** Throws for what moves the cursor to another line: it would overwrite lines. */
export function screenOf(raw: string): readonly string[] {
  const lines = [''];
  let column = 0;
  for (const [part] of raw.matchAll(PARTS)) {
    const line = lines.at(-1)!;
    if (part === ESCAPE) throw new Error(`an escape sequence that no test expects: ${JSON.stringify(raw)}`);
    if (part === '\r') column = 0;
    else if (part === '\n') {
      lines.push('');
      column = 0;
    } else if (part === `${ESCAPE}[K`) lines[lines.length - 1] = line.slice(0, column);
    else if (!part.startsWith(ESCAPE)) {
      lines[lines.length - 1] = line.slice(0, column).padEnd(column) + part + line.slice(column + part.length);
      column += part.length;
    }
  }
  return lines;
}
