import type { MirrorStore } from '../../client/mirror/mirror-store.ts';
import type { AskCivic } from '../../client/mirror/feed-pages.ts';
import { replicate } from '../../client/mirror/replicate.ts';

/** Brings a mirror to the head of a feed. */
export const runMirror = (
  { ask }: { readonly ask: AskCivic },
  store: MirrorStore,
  options: {
    readonly resource?: string | null;
    readonly newSnapshot?: boolean;
    readonly onUnfitPage?: (reason: string) => void;
    readonly sleep?: () => Promise<void>;
  } = {},
) =>
  replicate({
    ask,
    store,
    resource: null,
    once: true,
    pollMs: 0,
    sleep: () => Promise.reject(new Error('one run does not wait')),
    onProgress: () => undefined,
    onRestart: () => undefined,
    onUnfitPage: () => undefined,
    ...options,
  });
