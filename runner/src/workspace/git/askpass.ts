import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type GitCredential = { username: string; password: string };

/**
 * What git runs when a remote wants a user or a password. The password comes from file descriptor 3,
 * which only this one git and its children have; a prompt of another host gets nothing.
 */
const ASKPASS = `#!/bin/sh
case "$1" in
  "Username for '$SWITCHYARD_REMOTE_ORIGIN"[/\\']*) printf '%s\\n' "$SWITCHYARD_REMOTE_USER" ;;
  "Password for '$SWITCHYARD_REMOTE_LOGIN"[/\\']*) IFS= read -r line <&3 && printf '%s\\n' "$line" ;;
  *) exit 1 ;;
esac
`;
/** git asks once; a second question means that the first answer was refused. */
const ANSWERS = 2;

/** Writes the program into a folder of the runner's own and answers its path. */
export async function writeAskpass(homePath: string): Promise<string> {
  const path = join(homePath, 'askpass');
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, ASKPASS, { mode: 0o700 });
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
