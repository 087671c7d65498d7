import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type Backup,
  DATABASE_FILE,
  takeBackup,
} from '../../src/platform/node/backup/take-backup.ts';
import {
  requireKnownBackup,
  requireUnused,
  restoreBackup,
} from '../../src/platform/node/backup/restore-backup.ts';
import { whileHolding } from '../hold-data-folder.ts';
import { defaultDataDir } from '../serve-flags.ts';
import { CommandError } from '../client/command-error.ts';
import type { CommandContext, RegisterCommand } from '../options/command-context.ts';
import { EXIT } from '../client/exit.ts';
import { printAnswer } from '../output/print-answer.ts';
import { ServiceClient, type ServiceFlags } from '../client/service-client.ts';
import { withServiceOptions } from '../options/service-options.ts';

/** Timeout of a backup: as long as the service itself may need for it. */
const BACKUP_TIMEOUT_MS = 610_000;

type BackupFlags = ServiceFlags & { restore?: string };

/** `switchyard backup`: makes a backup of all data of the service, or restores one. */
export const registerBackup: RegisterCommand = (program, context) => {
  withServiceOptions(
    program
      .command('backup')
      .description('copy the database, also while it is in use; or put a copy back'),
  )
    .option('--restore <file>', 'put this copy in the place of the database, which is kept')
    .action(async (flags: BackupFlags) => {
      if (flags.restore !== undefined) return restore(flags.restore, flags, context);
      const backup = await back(flags, context);
      printAnswer(
        context,
        flags,
        backup,
        () =>
          `${backup.path}\n${backup.bytes} bytes, SHA-256 ${backup.sha256}\n` +
          'The key that opens its secrets is not in it: keep the master key apart.\n',
      );
    });
};

/**
 * Takes a backup through the running service; with `--data-dir`, or where no service responds,
 * copies the database file itself.
 */
async function back(flags: BackupFlags, context: CommandContext): Promise<Backup> {
  const client = new ServiceClient(flags, context.env);
  if (flags.dataDir === undefined && !client.isForeign && (await client.answers())) {
    return client.ask<Backup>('POST', '/backup', { timeoutMs: BACKUP_TIMEOUT_MS });
  }
  const dataDir = resolve(flags.dataDir ?? defaultDataDir(context.env));
  if (!existsSync(join(dataDir, DATABASE_FILE))) {
    throw new CommandError(
      `no service answers at ${client.url} and there is no database in ${dataDir}: name one with --url or --data-dir`,
      EXIT.notConfigured,
    );
  }
  return takeBackup({ dataDir, nowMs: Date.now() });
}

async function restore(file: string, flags: BackupFlags, context: CommandContext): Promise<void> {
  const dataDir = resolve(flags.dataDir ?? defaultDataDir(context.env));
  // Checked before the folder is touched, so that a refused backup leaves no trace in it.
  await requireKnownBackup(resolve(file));
  const restored = await whileHolding(dataDir, 'backup --restore', async () => {
    await requireUnused(dataDir);
    return restoreBackup({ dataDir, file: resolve(file), nowMs: Date.now() });
  });
  printAnswer(context, flags, restored, () =>
    [
      `restored ${restored.restoredFrom}`,
      ...(restored.movedTo === null ? [] : [`the former database is ${restored.movedTo}`]),
      'start the service with the version that made this copy, or a later one',
      '',
    ].join('\n'),
  );
}
