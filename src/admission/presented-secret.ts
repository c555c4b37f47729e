import { isKeySecret } from '../domain/key-secret.ts';
import { Rejection } from '../domain/rejections.ts';

const LONGEST_HEADER = 256;

/** The API key that a request presents, well formed; 401 `unauthorized` for anything else, a cookie or another scheme included. */
export const presentedSecret = (header: string | undefined): string => {
  if (header === undefined) throw new Rejection('unauthorized', 'an API key is required: Authorization: Bearer <API_KEY>');
  const secret = header.length <= LONGEST_HEADER ? /^bearer +([^ ]+)$/i.exec(header)?.[1] : undefined;
  if (secret === undefined || !isKeySecret(secret)) {
    throw new Rejection('unauthorized', 'the Authorization header does not hold one API key');
  }
  return secret;
};
