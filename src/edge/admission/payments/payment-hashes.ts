import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../../domain/canonical-json.ts';
import type { SignedPayment } from '../../../../domain/payments/payment.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Names a request: the tool and its arguments as parsed, defaults filled in. */
export const requestHash = (tool: string, parsedArguments: unknown): string => sha256(canonicalJson({ tool, arguments: parsedArguments }));

/** Names what was agreed to and signed; the signature itself may be written in several ways and is no part of it. */
export const termsHash = ({ accepted, authorization, resourceUrl }: SignedPayment): string =>
  sha256(canonicalJson({ accepted, authorization, resourceUrl }));
