import { setTimeout } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { MasterKeys } from '../../src/config/secrets/master-keys.ts';
import { masterKeysInUse } from '../../src/config/secrets/queries.ts';
import { requireUnused } from '../../src/platform/node/backup/restore-backup.ts';
import { DATABASE_FILE } from '../../src/platform/node/backup/take-backup.ts';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';
import { DataEndpoint } from '../data/data-endpoint.ts';
import { givenMasterKeys, NO_MASTER_KEYS } from '../data/given-master-keys.ts';
import { requireNoLeader } from '../data/hold-target.ts';
import { type Transfer, transferData } from '../data/transfer-data.ts';
import { readEdgeSettings } from '../deploy/edge-settings.ts';
import { loadMasterKeys } from '../../src/platform/node/secrets/load-master-keys.ts';
import {
  migrationsFolder,
  requireKnownMigrations,
} from '../../src/platform/node/backup/migration-state.ts';
import { whileHolding } from '../hold-data-folder.ts';
import { defaultDataDir } from '../serve-flags.ts';
import type { CommandContext, RegisterCommand } from '../options/command-context.ts';
import { printAnswer } from '../output/print-answer.ts';

const PROGRESS_EVERY_MS = 2_000;
const REMOTE_KEY = 'SERVICE_REMOTE_MASTER_KEY';

type DataFlags = { dataDir?: string; remote?: string; json?: boolean };
type Side = { endpoint: DataEndpoint; dataDir: string | null };

/** `switchyard data export|import`: moves an installation to a libSQL server and back. */
export const registerData: RegisterCommand = (program, context) => {
  const data = program
    .command('data')
    .description('move everything that is stored to a libSQL server, and back');
  for (const [verb, description] of [
    ['export', "copy this machine's database to an empty libSQL server"],
    ['import', "copy a libSQL server's database into an empty data folder"],
  ] as const) {
    data
      .command(verb)
      .description(description)
      .option('--remote <address>', 'the server (or SERVICE_DATABASE_URL), or a file: address')
      .option('--data-dir <folder>', 'data folder on this machine')
      .option('--json', 'print JSON and nothing else')
      .addHelpText('after', HELP)
      .action((flags: DataFlags) => move(verb, flags, context));
  }
};

const HELP = `
Environment, or edge.env in the data folder, as "deploy" writes it:
  SERVICE_DATABASE_URL       address of the server
  SERVICE_DATABASE_TOKEN     its token, where it asks for one
  ${REMOTE_KEY}  master key on the server's side, needed when secrets are stored

Both sides must stand still meanwhile. What was interrupted goes on when it is called again.
Exit codes: 0 the same on both sides, 1 failed, 2 wrong use, 3 not configured, 130 interrupted.`;

async function move(
  verb: 'export' | 'import',
  flags: DataFlags,
  context: CommandContext,
): Promise<void> {
  const dataDir = resolve(flags.dataDir ?? defaultDataDir(context.env));
  const settings = readEdgeSettings(dataDir, context.env);
  const remote: Side = { endpoint: remoteEndpoint(flags, settings), dataDir: null };
  try {
    requireDatabase(dataDir, verb);
    await whileHolding(dataDir, `data ${verb}`, () =>
      moveHeld(verb, { dataDir, remote, settings, flags }, context),
    );
  } finally {
    remote.endpoint.close();
  }
}

type Move = {
  dataDir: string;
  remote: Side;
  settings: ReturnType<typeof readEdgeSettings>;
  flags: DataFlags;
};

async function moveHeld(
  verb: 'export' | 'import',
  { dataDir, remote, settings, flags }: Move,
  context: CommandContext,
): Promise<void> {
  const local = await localSide(dataDir);
  try {
    const [from, to] = verb === 'export' ? [local, remote] : [remote, local];
    const nowMs = Date.now();
    if (remote.endpoint.isRemote && verb === 'import') {
      await requireNoLeader(remote.endpoint, (ms) => setTimeout(ms));
    }
    const secrets = await masterKeysInUse(from.endpoint.db);
    const keysOf = keysFor(from, secrets, { remoteKey: settings[REMOTE_KEY], env: context.env });
    const transfer = await transferData({
      from: from.endpoint,
      to: to.endpoint,
      nowMs,
      fromKeys: await keysOf(from),
      toKeys: await keysOf(to),
      migrationsFolder,
      progress: showProgress(context),
      say: (line) => context.err(`${line}\n`),
    });
    printAnswer(context, flags, transfer, () => transferReport(transfer, from, to));
  } finally {
    local.endpoint.close();
  }
}

function remoteEndpoint(
  flags: DataFlags,
  settings: Readonly<Record<string, string | undefined>>,
): DataEndpoint {
  const url = flags.remote ?? settings['SERVICE_DATABASE_URL'] ?? '';
  if (url === '') {
    throw new CommandError(
      'which server? name it with --remote or SERVICE_DATABASE_URL, its token with SERVICE_DATABASE_TOKEN',
      EXIT.notConfigured,
    );
  }
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^(https?|libsql|file):$/.test(parsed.protocol)) {
    throw new CommandError('the remote is no http, https, libsql or file address', EXIT.usage);
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '') {
    throw new CommandError(
      'the address of the remote must hold no token: give it as SERVICE_DATABASE_TOKEN',
      EXIT.usage,
    );
  }
  const token = settings['SERVICE_DATABASE_TOKEN'];
  return new DataEndpoint(url, token === '' ? undefined : token);
}

function requireDatabase(dataDir: string, verb: 'export' | 'import'): void {
  if (verb === 'import' || existsSync(join(dataDir, DATABASE_FILE))) return;
  throw new CommandError(
    `there is no database in ${dataDir}: name the folder with --data-dir`,
    EXIT.notConfigured,
  );
}

async function localSide(dataDir: string): Promise<Side> {
  await requireUnused(dataDir, (state) =>
    requireKnownMigrations(state, `the database in ${dataDir}`),
  );
  return { endpoint: new DataEndpoint(`file:${join(dataDir, DATABASE_FILE)}`), dataDir };
}

/** Master keys of one side, which are requested only when there is a secret to decrypt. */
function keysFor(
  from: Side,
  secrets: readonly { id: string }[],
  given: { remoteKey: string | undefined; env: CommandContext['env'] },
) {
  return async (side: Side): Promise<MasterKeys> => {
    if (secrets.length === 0) return NO_MASTER_KEYS;
    const { dataDir } = side;
    if (dataDir !== null) {
      // A key is generated only on the receiving side: a new key would decrypt none of the existing
      // secrets.
      const storedKeyIds = side === from ? secrets.map(({ id }) => id) : [];
      return loadMasterKeys({ env: given.env, dataDir, storedKeyIds });
    }
    if (given.remoteKey !== undefined && given.remoteKey !== '') {
      return givenMasterKeys(given.remoteKey, REMOTE_KEY);
    }
    throw new CommandError(
      `secrets are stored: set ${REMOTE_KEY} to the master key of the other side (its SERVICE_MASTER_KEY)`,
      EXIT.notConfigured,
    );
  };
}

/** Prints a line when a table is done, and at intervals in between. */
function showProgress(context: CommandContext) {
  let saidAtMs = 0;
  return (step: string, table: string, done: number, total: number) => {
    const nowMs = performance.now();
    if (done < total && nowMs - saidAtMs < PROGRESS_EVERY_MS) return;
    saidAtMs = nowMs;
    context.err(`${step} ${table}: ${done} of ${total} rows\n`);
  };
}

function transferReport(transfer: Transfer, from: Side, to: Side): string {
  const rows = transfer.tables.reduce((sum, table) => sum + table.rows, 0);
  return [
    `${rows} rows in ${transfer.tables.length} tables are the same in ${from.endpoint.name} and ${to.endpoint.name}`,
    `the audit record holds: ${transfer.audit.verified} entries sealed, ${transfer.audit.unsealed} wait for their seal`,
    'start only one of the two from now on: both would work on the same tracker',
    '',
  ].join('\n');
}
