import { registerHooks } from 'node:module';

/** The type generator asks for a TypeScript that has a programming interface; the checkout's own, the native one, has none. */
const bundled = import.meta.resolve('@ts-morph/common').replace(/[^/]*$/, 'typescript.js');
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' ? { url: bundled, format: 'commonjs', shortCircuit: true } : next(specifier, context),
});
