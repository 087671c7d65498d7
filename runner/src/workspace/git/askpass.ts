import { readShellProgram } from '../../shell/read-shell-program.ts';

export type GitCredential = { username: string; password: string };

/** The program that git runs when a remote asks for user or password. */
export const ASKPASS = readShellProgram(new URL('./askpass.sh', import.meta.url));
/** git asks once; a second question means that the first answer was refused. */
const ANSWERS = 2;

/**
 * Environment and secret for one git command with one remote. The environment does not contain the
 * secret.
 */
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
