import { holdsKeySecret } from './key-secret.ts';

/** Why a text that a customer chose is not kept, in words that do not repeat it; null where it may be. */
export const notStorable = (text: string): string | null => {
  // PostgreSQL keeps neither, and no event is taken back: a projector that met one would stand still.
  if (!text.isWellFormed() || text.includes('\0')) return 'the text holds U+0000 or half a character';
  return holdsKeySecret(text) ? 'the text holds an API key; a key is sent in the Authorization header alone' : null;
};
