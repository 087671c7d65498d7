import { resolve } from 'node:path';
import { MAX_RUNNER_POOLS } from '@switchyard/shared/protocol/limits';
import { commandText } from '@switchyard/shared/text/command-text';
import { cutText } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import { InvalidArgumentError } from 'commander';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';
import { askPerson } from '../ask-person.ts';
import {
  deployEdge,
  type Deployed,
  kib,
  migrateEdge,
  uploadEdge,
  wranglerFlags,
} from '../deploy/deploy-edge.ts';
import {
  completeEdgeSettings,
  edgeFile,
  type EdgeSettings,
  missingMade,
  readEdgeSettings,
} from '../deploy/edge-settings.ts';
import { measureBundle } from '../deploy/measure-bundle.ts';
import { findWrangler } from '../deploy/run-wrangler.ts';
import { withStagedWorker } from '../deploy/with-staged-worker.ts';
import { repositoryRoot } from '../../src/platform/node/service-version.ts';
import { defaultDataDir } from '../serve-flags.ts';
import type { CommandContext, RegisterCommand } from '../options/command-context.ts';
import { printAnswer } from '../output/print-answer.ts';

const DATABASE = 'SERVICE_DATABASE_URL';
const DATABASE_TOKEN = 'SERVICE_DATABASE_TOKEN';
const POOLS = 'SERVICE_RUNNER_POOLS';

type DeployFlags = {
  dryRun?: boolean;
  migrateOnly?: boolean;
  dataDir?: string;
  name?: string;
  pools?: number;
  readToken: boolean;
  json?: boolean;
};

/** `switchyard deploy`: deploys the control plane as a Worker with everything it needs. */
export const registerDeploy: RegisterCommand = (program, context) => {
  program
    .command('deploy')
    .description('put the control plane on Cloudflare Workers, with a libSQL server as database')
    .option('--dry-run', 'build, measure and say what would be done; needs no network')
    .option('--migrate-only', 'bring the database to this version and upload nothing')
    .option('--name <worker>', 'name of the Worker (default: the one in wrangler.toml)')
    .option(
      '--pools <n>',
      'objects that hold runner sockets, one per about 40 busy runners (default: as last time)',
      pools,
    )
    .option('--no-read-token', 'let everybody read')
    .option('--data-dir <folder>', 'where edge.env is kept')
    .option('--json', 'print JSON and nothing else')
    .addHelpText('after', HELP)
    .action((flags: DeployFlags) => deploy(flags, context));
};

const HELP = `
Environment, or edge.env in the data folder; what is missing is asked for or made:
  ${DATABASE}       address of the libSQL server, reachable from the Worker
  ${DATABASE_TOKEN}     its token
  SERVICE_REMOTE_MASTER_KEY  master key of the Worker's secrets (made)
  SERVICE_WRITE_TOKEN        token that may change things (made)
  SERVICE_READ_TOKEN         token that may read (made; see --no-read-token)
  CLOUDFLARE_API_TOKEN       account to deploy to; else wrangler's own sign-in

Exit codes: 0 done, 1 failed, 2 wrong use, 3 not configured, 130 interrupted.`;

async function deploy(flags: DeployFlags, context: CommandContext): Promise<void> {
  const dataDir = resolve(flags.dataDir ?? defaultDataDir(context.env));
  const settings = readEdgeSettings(dataDir, context.env);
  const openReads = !flags.readToken;
  const say = (line: string) => context.err(`${line}\n`);
  const wranglerOptions = { name: flags.name, pools: flags.pools ?? rememberedPools(settings) };
  if (flags.dryRun === true) {
    const wrangler = findWrangler(say);
    const bundle = await withStagedWorker(repositoryRoot, (folder) =>
      measureBundle({ wrangler, folder }, wranglerFlags(wranglerOptions)),
    );
    const steps = planned(dataDir, settings, { openReads });
    const text = [`the Worker has ${kib(bundle.gzipBytes)} after gzip`, 'deploy would:', ...steps];
    return printAnswer(context, flags, { bundle, steps }, () => `${text.join('\n')}\n`);
  }
  if (flags.migrateOnly === true) {
    await migrateEdge({ ...settings, ...(await askMissing(settings, context)) }, say);
    return printAnswer(
      context,
      flags,
      { migrated: true },
      () => 'the database is of this version\n',
    );
  }
  if (context.env['WORKERS_CI'] === '1') return deployInBuild(flags, settings, context);
  const complete = completeEdgeSettings(dataDir, settings, {
    answers: {
      ...(await askMissing(settings, context)),
      ...(flags.pools === undefined ? {} : { [POOLS]: String(flags.pools) }),
    },
    openReads,
  });
  for (const name of [DATABASE_TOKEN, 'SERVICE_WRITE_TOKEN']) context.redactor.hide(complete[name]);
  const deployed = await deployEdge({
    settings: complete,
    openReads,
    flags: wranglerOptions,
    wrangler: findWrangler(say),
    product: repositoryRoot,
    say,
  });
  printAnswer(context, flags, deployed, () => deployReport(deployed, dataDir));
}

/**
 * Deploys in a build at Cloudflare, where nobody can be asked and secrets are set on the Worker
 * itself.
 */
async function deployInBuild(
  flags: DeployFlags,
  settings: EdgeSettings,
  context: CommandContext,
): Promise<void> {
  const say = (line: string) => context.err(`${line}\n`);
  const canMigrate = (settings[DATABASE] ?? '') !== '';
  if (canMigrate) {
    say('bringing the database to this version');
    await migrateEdge(settings, say);
  }
  const wranglerOptions = { name: flags.name, pools: flags.pools ?? rememberedPools(settings) };
  const uploaded = await uploadEdge({
    flags: wranglerOptions,
    wrangler: findWrangler(say),
    product: repositoryRoot,
    say,
  });
  const answer = { ...uploaded, migrated: canMigrate };
  printAnswer(context, flags, answer, () =>
    [
      `dashboard ${uploaded.url}`,
      ...(canMigrate
        ? []
        : [
            `the build does not know the database: on your machine set ${DATABASE} and ${DATABASE_TOKEN},`,
            `then run "${commandText('deploy --migrate-only', context.env)}"; until then the service answers 503`,
          ]),
      '',
    ].join('\n'),
  );
}

function planned(dataDir: string, settings: EdgeSettings, reads: { openReads: boolean }): string[] {
  const database = settings[DATABASE] ?? '';
  const made = missingMade(settings, reads);
  return [
    ...(database === '' ? [`  ask for ${DATABASE} and ${DATABASE_TOKEN}`] : []),
    ...(made.length === 0
      ? []
      : [`  make ${made.join(', ')} and keep them in ${edgeFile(dataDir)}`]),
    `  apply migrations to ${database === '' ? 'that database' : database}`,
    '  upload the Worker with the dashboard (wrangler deploy)',
    `  set its secrets through standard input (wrangler secret bulk)`,
    '  print the address of the dashboard and a command that makes a machine a runner',
  ];
}

async function askMissing(
  settings: EdgeSettings,
  { isJson }: Pick<CommandContext, 'isJson'>,
): Promise<EdgeSettings> {
  if ((settings[DATABASE] ?? '') !== '') return {};
  // With --json there is no question, since it would be printed beside the JSON.
  const url = isJson
    ? null
    : await askPerson('Address of the libSQL server (libsql:// or https://): ');
  if (url === null || url === '') {
    throw new CommandError(
      `which database? set ${DATABASE}, and ${DATABASE_TOKEN} where it asks for one`,
      EXIT.notConfigured,
    );
  }
  if (!/^(libsql|https?):\/\/[^\s]+$/.test(url)) {
    throw new CommandError('that is no libsql, http or https address', EXIT.usage);
  }
  const token = await askPerson('Its token (not shown; empty for none): ', { hidden: true });
  return { [DATABASE]: url, [DATABASE_TOKEN]: token ?? '' };
}

function deployReport({ url, joinToken }: Deployed, dataDir: string): string {
  const join =
    joinToken === null
      ? ['make a runner: the dashboard gives the command under Runners']
      : [
          'make a machine a runner (once, within the hour), then start it:',
          `  switchyard runner join ${url} --token ${joinToken}`,
          '  switchyard runner',
        ];
  return [
    `dashboard ${url}`,
    `the tokens to sign in with are in ${edgeFile(dataDir)}; keep a copy of that file`,
    ...join,
    '',
  ].join('\n');
}

/** Number of pools from an earlier deployment: fewer pools would leave runners without theirs. */
function rememberedPools(settings: EdgeSettings): number | undefined {
  const text = settings[POOLS] ?? '';
  if (text === '') return undefined;
  try {
    return pools(text);
  } catch (error) {
    const why = messageOf(error);
    throw new CommandError(`${POOLS} is "${cutText(text, 40)}": ${why}`, EXIT.notConfigured);
  }
}

function pools(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= MAX_RUNNER_POOLS) return number;
  throw new InvalidArgumentError(`pools are a whole number from 1 to ${MAX_RUNNER_POOLS}.`);
}
