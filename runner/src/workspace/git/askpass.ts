import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readShellProgram } from '../../shell/read-shell-program.ts';

export type GitCredential = { username: string; password: string };

const PROGRAM = readShellProgram(new URL('./askpass.sh', import.meta.url));
/** git asks once; a second question means that the first answer was refused. */
const ANSWERS = 2;

/** Writes the program into a folder of the runner's own and answers its path. */
export async function writeAskpass(homePath: string): Promise<string> {
  const path = join(homePath, 'askpass');
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, PROGRAM, { mode: 0o700 });
  await rename(draft, path);
  return path;
}

/** Environment and secret for one git that talks to one remote. The secret is in neither. */
export function askpassAccess(
  askpassPath: string,
  remoteUrl: string,
  { username, password }: GitCredential,
): { env: Record<string, string>; secret: string } {
  if (/[\r\n]/.test(password)) throw new TypeError('a password of git must be one line');
  const { protocol, host, username: inUrl } = new URL(remoteUrl);
  const user = inUrl === '' ? encodeURIComponent(username) : inUrl;
  const origin = inUrl === '' ? `${protocol}//${host}` : `${protocol}//${inUrl}@${host}`;
  return {
    env: {
      GIT_ASKPASS: askpassPath,
      SWITCHYARD_REMOTE_ORIGIN: origin,
      SWITCHYARD_REMOTE_USER: username,
      SWITCHYARD_REMOTE_LOGIN: `${protocol}//${user}@${host}`,
    },
    secret: `${password}\n`.repeat(ANSWERS),
  };
}
