import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { IMPORT_RULES } from './import-rules.ts';

interface Directions {
  /** TypeScript files that the tool has read. */
  readonly moduleCount: number;
  /** One line per violation. */
  readonly violations: readonly string[];
}

/**
 * Checks all imports of a checkout against `IMPORT_RULES`. A file that git lists and the tool has not read is also a
 * violation: with TypeScript 7 installed, the tool reads no file without a separate parser.
 */
export async function checkDirections(root: string, files = typeScriptFiles(root)): Promise<Directions> {
  const { output } = await cruise([...files], {
    baseDir: root,
    parser: 'swc',
    tsPreCompilationDeps: true,
    moduleSystems: ['es6'],
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js', '.json'],
      conditionNames: ['import', 'node', 'default'],
      exportsFields: ['exports'],
    },
    validate: true,
    ruleSet: { forbidden: [...IMPORT_RULES] },
  });
  const { modules, summary } = output as ICruiseResult;
  const seen = new Set(modules.filter(({ dependencies }) => dependencies !== undefined).map(({ source }) => source));
  const unseen = files.filter((file) => !seen.has(file)).map((file) => `${file} was not read`);
  const broken = summary.violations.map(({ from, to, rule }) => `${from} -> ${to}: ${rule.name}`);
  const blind = modules.some(({ dependencies }) => dependencies.length > 0)
    ? []
    : ['not a single import was found: the parser is missing'];
  return { moduleCount: files.length - unseen.length, violations: [...unseen, ...blind, ...broken] };
}

/**
 * Lists every existing TypeScript file of the checkout: those that git lists, tracked or not, or all files without git.
 */
export function typeScriptFiles(root: string): readonly string[] {
  const listed = spawnSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', '*.ts'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  const all =
    listed.status === 0
      ? listed.stdout.split('\n')
      : globSync('**/*.ts', { cwd: root, exclude: ['node_modules', '.civic'] });
  return all.filter((file) => file !== '' && existsSync(join(root, file))).toSorted();
}
