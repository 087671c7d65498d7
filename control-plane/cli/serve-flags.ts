import { homedir } from 'node:os';
import { resolve } from 'node:path';

/** Flags of `start` and `demo`. */
export type ServeFlags = {
  port: number;
  host: string;
  dataDir?: string;
  sandbox: string;
  image?: string;
  baseImage?: string;
  buildImage?: boolean;
  /** Agent engines that the sandbox image has to have, comma-separated. */
  engine?: string;
  acceptLicence?: boolean;
  slots?: string;
  labels?: string;
  allowImage?: string[];
  allowPrivateHost?: string[];
  /** Folders that may contain file:// repositories; left out: below the home folder. */
  allowFolder?: string[];
  open: boolean;
  runner: boolean;
};

/** Default data folder of a local installation. */
export function defaultDataDir(env: NodeJS.ProcessEnv): string {
  const state = env['XDG_STATE_HOME'];
  const base = state !== undefined && state !== '' ? state : resolve(homedir(), '.local', 'state');
  return resolve(base, 'switchyard');
}
