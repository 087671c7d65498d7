import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { FolderHeld, holderText } from '@switchyard/shared/host/folder-holder';
import { commandText } from '@switchyard/shared/text/command-text';
import { migrationState } from '../../src/platform/node/backup/migration-state.ts';
import { DATABASE_FILE } from '../../src/platform/node/backup/take-backup.ts';
import { requireFolderFree } from '../hold-data-folder.ts';
import { type Finding, good } from './finding.ts';

const OTHERS = 0o077;

/** Checks the data folder, who else can read it, and the version of its database. */
export async function checkDataFolder(dataDir: string): Promise<Finding[]> {
  const found = await stat(dataDir).catch(() => null);
  if (found === null) {
    return [
      {
        name: 'data folder',
        status: 'warn',
        detail: `${dataDir} does not exist yet`,
        fix: 'the first start makes it',
        mend: async () => {
          await mkdir(dataDir, { recursive: true, mode: 0o700 });
          return `made ${dataDir}`;
        },
      },
    ];
  }
  const files = await readdir(dataDir);
  const holder = await holderOf(dataDir);
  const keys = files.filter((name) => /(\.key|-key|^local-secret)$/.test(name));
  return [
    await checkMode('data folder', dataDir, 0o700),
    ...(holder === null ? [] : [good('data folder in use', holder)]),
    ...(await Promise.all(keys.map((name) => checkMode(name, join(dataDir, name), 0o600)))),
    ...(files.includes(DATABASE_FILE) ? [await checkDatabase(join(dataDir, DATABASE_FILE))] : []),
  ];
}

/** The process that holds the folder, as text; null: none. */
async function holderOf(dataDir: string): Promise<string | null> {
  try {
    await requireFolderFree(dataDir);
    return null;
  } catch (error) {
    if (!(error instanceof FolderHeld)) throw error;
    const { holder } = error;
    const by = holder === null ? 'another process' : holderText(holder, { host: hostname() });
    return `by ${by}`;
  }
}

async function checkMode(name: string, path: string, mode: number): Promise<Finding> {
  const { mode: actual } = await stat(path);
  if ((actual & OTHERS) === 0) return good(name, path);
  return {
    name,
    status: mode === 0o600 ? 'fail' : 'warn',
    detail: `${path} can be read by other users of this machine`,
    fix: `run: chmod ${mode.toString(8)} ${path}`,
    mend: async () => {
      await chmod(path, mode);
      return `only you can read ${path} now`;
    },
  };
}

const UPGRADE = `run: ${commandText('upgrade', process.env)} (or start, which copies it first)`;

async function checkDatabase(path: string): Promise<Finding> {
  const { is, applied, known, openedBy } = await migrationState(path);
  if (is === 'current') return good('database', `${applied} migrations, as this version has`);
  const canUpgrade = is === 'behind' || is === 'none';
  return {
    name: 'database',
    status: canUpgrade ? 'warn' : 'fail',
    detail: canUpgrade
      ? `${applied} migrations applied, this version knows ${known}`
      : is === 'newer'
        ? `of a newer version than this${openedBy === null ? '' : `: ${openedBy}`}`
        : 'of a version before 0.1.0',
    fix: {
      newer: `install ${openedBy ?? 'the version that made it'}, or restore an older backup`,
      too_old: 'move it away and start anew',
      behind: UPGRADE,
      none: UPGRADE,
    }[is],
    mend: null,
  };
}
