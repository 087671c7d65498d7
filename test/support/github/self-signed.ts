import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type SelfSigned = { key: string; cert: string; certPath: string };

/** A certificate, good for a day, unless told for 127.0.0.1; who is to trust it is given its path. */
export async function selfSigned(
  folder: string,
  names = 'IP:127.0.0.1,DNS:localhost',
): Promise<SelfSigned> {
  const keyPath = join(folder, 'key.pem');
  const certPath = join(folder, 'cert.pem');
  await run(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
      .concat(['-keyout', keyPath, '-out', certPath, '-subj', '/CN=fake-github'])
      .concat(['-addext', `subjectAltName=${names}`]),
    { timeout: 20_000 },
  );
  const [key, cert] = await Promise.all([readFile(keyPath, 'utf8'), readFile(certPath, 'utf8')]);
  return { key, cert, certPath };
}
