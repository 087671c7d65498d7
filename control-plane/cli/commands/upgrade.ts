import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { commandText, quoteWord } from '@switchyard/shared/text/command-text';
import { textTail } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import { recordVersion } from '../../src/db/record-version.ts';
import {
  migrationsFolder,
  migrationState,
  ownVersion,
  requireKnownMigrations,
} from '../../src/platform/node/backup/migration-state.ts';
import { requireUnused, restoreBackup } from '../../src/platform/node/backup/restore-backup.ts';
import { type Backup, DATABASE_FILE } from '../../src/platform/node/backup/take-backup.ts';
import { takeBoundedBackup } from '../../src/platform/node/backup/take-bounded-backup.ts';
import { upgradeMessage } from '../../src/platform/node/backup/upgrade-message.ts';
import { openDatabase } from '../../src/platform/node/database/open-database.ts';
import { serviceVersion } from '../../src/platform/node/service-version.ts';
import { requireFolderFree, whileHolding } from '../hold-data-folder.ts';
import { defaultDataDir } from '../serve-flags.ts';
import { CommandError } from '../client/command-error.ts';
import type { CommandContext, RegisterCommand } from '../options/command-context.ts';
import { EXIT } from '../client/exit.ts';
import { ServiceClient, type ServiceFlags } from '../client/service-client.ts';
import { withServiceOptions } from '../options/service-options.ts';

const GIT_TIMEOUT_MS = 300_000;
const INSTALL_NEWEST =
  `version ${serviceVersion} is kept; to have the newest one, install its package or start its image, ` +
  'then run this again';

type UpgradeFlags = ServiceFlags & { pull: boolean };

export type UpgradeResult = {
  version: string;
  /** Backup made before the database was changed; null when there was no database. */
  backup: Backup | null;
  migrations: { before: number; after: number };
  /** Commands that undo the upgrade. */
  wayBack: string[];
};

/**
 * `switchyard upgrade`: installs the newest version, makes a backup, migrates, and prints how to
 * undo it.
 */
export const registerUpgrade: RegisterCommand = (program, context) => {
  withServiceOptions(
    program
      .command('upgrade')
      .description('copy the database, fetch the newest version and bring the database to it'),
  )
    .option('--no-pull', 'keep the version that is here; only bring the database to it')
    .action(async (flags: UpgradeFlags) => context.finish(await upgrade(flags, context)));
};

async function upgrade(flags: UpgradeFlags, context: CommandContext): Promise<number> {
  const dataDir = resolve(flags.dataDir ?? defaultDataDir(context.env));
  await requireFolderFree(dataDir);
  const client = new ServiceClient(flags, context.env);
  if (!client.isForeign && (await client.answers())) {
    throw new CommandError(
      `a service is running at ${client.url}: stop it, then upgrade`,
      EXIT.failed,
    );
  }
  const checkout = context.env['SWITCHYARD_CHECKOUT'];
  const isCheckout = checkout !== undefined && existsSync(join(checkout, '.git'));
  if (flags.pull && isCheckout) {
    if (await pullNewest(checkout, context)) return runNewVersion(checkout, dataDir, flags);
  } else if (flags.pull) {
    context.err(`this is no git checkout: ${INSTALL_NEWEST}\n`);
  }
  const result = await bringUp(dataDir, context);
  context.out(
    flags.json === true
      ? `${JSON.stringify(result)}\n`
      : [
          `version ${result.version}; migrations ${result.migrations.before} -> ${result.migrations.after}`,
          ...(result.backup === null ? [] : [`copy from before: ${result.backup.path}`]),
          'the way back:',
          ...result.wayBack.map((line) => `  ${line}`),
          '',
        ].join('\n'),
  );
  return EXIT.done;
}

async function bringUp(dataDir: string, context: CommandContext): Promise<UpgradeResult> {
  if (existsSync(join(dataDir, DATABASE_FILE))) {
    return whileHolding(dataDir, 'upgrade', () => bringUpHeld(dataDir, context));
  }
  const migrations = { before: 0, after: 0 };
  return { version: serviceVersion, backup: null, migrations, wayBack: wayBack(null, { dataDir }) };
}

/**
 * Makes a backup, migrates and records the version; when either of the latter fails, restores the
 * backup.
 */
async function bringUpHeld(dataDir: string, context: CommandContext): Promise<UpgradeResult> {
  const path = join(dataDir, DATABASE_FILE);
  const name = `the database in ${dataDir}`;
  const former = await requireUnused(dataDir, (state) => requireKnownMigrations(state, name));
  if (former === null) throw new Error(`${path} has just been removed`);
  const backup = await takeBoundedBackup({ dataDir, nowMs: Date.now() }, 'upgrade');
  context.err(`copied the database to ${backup.path}\n`);
  try {
    const opened = await openDatabase(path, migrationsFolder);
    await recordVersion(opened.db, Date.now(), ownVersion()).finally(() => opened.close());
  } catch (error) {
    await restoreBackup({ dataDir, file: backup.path, nowMs: Date.now() });
    const why = messageOf(error);
    throw new CommandError(`the database is as it was: ${why}`, EXIT.failed, { cause: error });
  }
  const message = upgradeMessage(former, name, { copy: backup, dataDir });
  if (message !== null) context.err(`${message}\n`);
  const after = (await migrationState(path)).applied;
  const migrations = { before: former.applied, after };
  return {
    version: serviceVersion,
    backup,
    migrations,
    wayBack: wayBack(backup, { dataDir, ...former }),
  };
}

function wayBack(
  backup: Backup | null,
  { dataDir, openedBy = null }: { dataDir: string; openedBy?: string | null },
): string[] {
  // A database that this version has opened before no longer records the version before it.
  const former = openedBy === serviceVersion ? null : openedBy;
  const commit = /\+([0-9a-f]{8})$/.exec(former ?? '')?.[1];
  const code =
    process.env['SWITCHYARD_CHECKOUT'] === undefined
      ? `install ${former ?? 'the version you came from'}`
      : commit === undefined
        ? 'git checkout the commit you came from (git reflog names it)'
        : `git checkout ${commit}`;
  if (backup === null) return [code];
  return [
    code,
    commandText(
      `backup --data-dir ${quoteWord(dataDir)} --restore ${quoteWord(backup.path)}`,
      process.env,
    ),
  ];
}

/** Whether another version was installed. A checkout with local changes is not updated. */
async function pullNewest(checkout: string, context: CommandContext): Promise<boolean> {
  const git = (args: string[]) => runGit(checkout, args);
  const before = await git(['rev-parse', 'HEAD']);
  if ((await git(['status', '--porcelain', '--untracked-files=no'])) !== '') {
    throw new CommandError(
      'this checkout has changes of its own: commit or undo them, or use --no-pull',
      EXIT.failed,
    );
  }
  await git(['pull', '--ff-only', '--quiet']);
  const after = await git(['rev-parse', 'HEAD']);
  context.err(before === after ? 'this is the newest version\n' : `${before} -> ${after}\n`);
  return before !== after;
}

async function runGit(checkout: string, args: string[]): Promise<string> {
  const child = spawn('git', args, {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: GIT_TIMEOUT_MS,
  });
  const ended = new Promise<number | null>((done, fail) => {
    child.once('error', fail);
    child.once('exit', done);
  });
  const [output, problem, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  if (code === 0) return output.trim();
  throw new CommandError(`git ${args[0]} failed: ${textTail(problem.trim(), 500)}`, EXIT.failed);
}

/** Runs the new version's program, which does the rest of the upgrade. */
async function runNewVersion(
  checkout: string,
  dataDir: string,
  flags: UpgradeFlags,
): Promise<number> {
  const bootstrap = join(checkout, 'control-plane/cli/bootstrap.mjs');
  const json = flags.json === true ? ['--json'] : [];
  const args = [bootstrap, 'upgrade', '--no-pull', '--data-dir', dataDir, ...json];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code) => done(code ?? EXIT.failed));
  });
}
