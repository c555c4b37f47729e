/** Error codes of OpenSSL and Node.js for an untrusted certificate, with their meaning. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'it is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'its authority is unknown'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'its authority is unknown'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'its authority is unknown'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'its authority is unknown'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'it is for another host name'],
  ['CERT_HAS_EXPIRED', 'it has expired'],
  ['CERT_NOT_YET_VALID', 'it is not valid yet'],
  ['CERT_REVOKED', 'it is revoked'],
  ['CERT_REJECTED', 'it is not for this use'],
  ['INVALID_PURPOSE', 'it is not for this use'],
  ['CERT_UNTRUSTED', 'it is not trusted'],
  ['INVALID_CA', 'its authority is none'],
]);
const DEEPEST = 5;

/** Returns why a server's certificate was refused, from the error and its causes. Null for any other failure. */
export function certificateReason(error: unknown): string | null {
  for (let each = error, depth = 0; each instanceof Error && depth < DEEPEST; each = each.cause, depth += 1) {
    const reason = REASONS.get(String((each as NodeJS.ErrnoException).code));
    if (reason !== undefined) return reason;
  }
  return null;
}
