import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from './contract-files.ts';

/**
 * `npm run generate -w client`: writes the files of the client that follow from the contract. Fails if a file differs
 * when called with `--check`.
 */
const root = new URL('../../', import.meta.url);
const check = process.argv.includes('--check');
for (const [path, text] of Object.entries(await generatedFiles())) {
  const file = fileURLToPath(new URL(path, root));
  if (!check) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${path} is not what the contract gives: run "npm run generate -w client"\n`);
    process.exitCode = 1;
  }
}
