import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface MadeCertificate {
  readonly key: string;
  readonly certificate: string;
  /** Path of the authority's certificate, for a client that trusts it. */
  readonly authorityFile: string;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Certificates of a server, made by openssl in a folder of their own. `remove` deletes it. */
export function certificateFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'civic-certificates-'));
  const openssl = (...args: string[]) => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const certificateOf = (name: string, authority: string): MadeCertificate => ({
    key: readFileSync(join(folder, `${name}.key`), 'utf8'),
    certificate: readFileSync(join(folder, `${name}.pem`), 'utf8'),
    authorityFile: join(folder, `${authority}.pem`),
  });
  const authority = () => {
    openssl(
      'req',
      '-x509',
      ...NEW_KEY,
      '-keyout',
      'authority.key',
      '-out',
      'authority.pem',
      '-subj',
      '/CN=Test authority',
      '-days',
      '2',
    );
  };
  return {
    selfSigned(): MadeCertificate {
      const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
      openssl('req', '-x509', ...NEW_KEY, '-keyout', 'self.key', '-out', 'self.pem', ...subject);
      return certificateOf('self', 'self');
    },
    /** A certificate signed by an authority, valid for this number of days from now; negative if it has expired. */
    signed(name: string, { host, days }: { readonly host: string; readonly days: number }): MadeCertificate {
      authority();
      openssl(
        'req',
        ...NEW_KEY,
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.csr`,
        '-subj',
        '/CN=server',
        '-addext',
        `subjectAltName=${host}`,
      );
      const by = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-CAcreateserial', '-copy_extensions', 'copy'];
      openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-days', String(days), '-out', `${name}.pem`);
      return certificateOf(name, 'authority');
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
