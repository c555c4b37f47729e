import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));

/** The paths that the Dockerfile, or one stage of it, copies from the checkout, in its order. */
export const copiedByDockerfile = (dockerfile: string): readonly string[] =>
  [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, words]) => words!.split(' ').slice(0, -1));

/** Files of the checkout that the last stage of the image contains. */
const inImage = (dockerfile: string): readonly string[] => [
  'package-lock.json',
  '.npmrc',
  ...copiedByDockerfile(dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))),
];

interface LockedPackage {
  readonly dev?: boolean;
  readonly peer?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
}

/** The packages that `npm ci --omit=dev --omit=optional --omit=peer` puts at the top of `node_modules`. */
function productionPackages(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(CHECKOUT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, LockedPackage>>;
  };
  return Object.entries(packages).flatMap(([path, { dev, peer, devOptional, optional }]) =>
    /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) &&
    dev !== true &&
    peer !== true &&
    devOptional !== true &&
    optional !== true
      ? [path.slice('node_modules/'.length)]
      : [],
  );
}

export interface ProductionTree {
  readonly folder: string;
  /** Throws when something was written into it. */
  close(): void;
}

/**
 * The files of the image in a read-only folder: a copy of the program, with production packages only. `install` takes
 * these from npm, in the command that the Dockerfile has; else they are links to those that are installed here.
 */
export function makeProductionTree(how: 'link' | 'install'): ProductionTree {
  const folder = mkdtempSync(join(tmpdir(), 'civic-image-'));
  const dockerfile = readFileSync(join(CHECKOUT, 'Dockerfile'), 'utf8');
  for (const name of inImage(dockerfile)) cpSync(join(CHECKOUT, name), join(folder, name), { recursive: true });
  if (how === 'install') {
    const [npm = '', ...args] = JSON.parse(/^RUN (\[.*\])$/m.exec(dockerfile)![1]!) as string[];
    const installed = spawnSync(npm, args, { cwd: folder, encoding: 'utf8' });
    if (installed.status !== 0) throw new Error(`npm: ${installed.stderr}`);
  } else {
    for (const name of productionPackages()) {
      const link = join(folder, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(CHECKOUT, 'node_modules', name), link);
    }
  }
  const files = () =>
    (readdirSync(folder, { recursive: true }) as string[])
      .filter((name) => !name.startsWith('node_modules/'))
      .toSorted();
  const before = files();
  readOnly(folder);
  return {
    folder,
    close() {
      const after = files();
      spawnSync('chmod', ['-R', 'u+w', folder]);
      rmSync(folder, { recursive: true, force: true });
      if (after.join('\n') !== before.join('\n')) throw new Error('something was written into the tree of the image');
    },
  };
}

function readOnly(folder: string): void {
  chmodSync(folder, 0o755);
  // Links are left alone: chmod -R does not follow them.
  const { status } = spawnSync('chmod', ['-R', 'a-w,a+rX', folder]);
  if (status !== 0) throw new Error('the tree could not be made read-only');
}
