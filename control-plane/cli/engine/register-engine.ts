import { toJson } from '@switchyard/shared/text/well-formed-json';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { textTail } from '@switchyard/shared/text/cut-text';
import { durationText } from '@switchyard/shared/text/units/duration-text';
import { checkScript } from '../../scripted-provider/check-script.ts';
import { startScriptedProvider } from '../../scripted-provider/scripted-provider.ts';
import { runnerCommand } from '../local-runner.ts';
import { CommandError } from '../client/command-error.ts';
import { passToRunner } from '../pass-to-runner.ts';
import type { CommandContext, RegisterCommand } from '../options/command-context.ts';
import { tableText } from '../output/table-text.ts';

const MAX_PROBLEM_CHARS = 2_000;

type InstallFlags = { acceptLicence?: boolean; from?: string; json?: boolean };
type CheckFlags = {
  agents?: string;
  wireApi?: string;
  sandbox?: string;
  image?: string;
  json?: boolean;
};
type Result = { name: string; what: string; status: string; detail: string; durationMs: number };

/** `switchyard engine …`: lists, installs, downloads and checks agent engines. */
export const registerEngine: RegisterCommand = (program, context) => {
  const engine = program.command('engine').description('agent engines of this machine');
  engine
    .command('list')
    .description('every engine that this version knows, and whether it can run here')
    .option('--json', 'print JSON and nothing else')
    .action(async ({ json }: { json?: boolean }) => {
      context.finish(await passToRunner(['engine', 'list', ...(json === true ? ['--json'] : [])]));
    });
  engine
    .command('install <name>')
    .description('install an engine, pinned and checked, in the folder of this user')
    .option('--accept-licence', 'accept the terms of an engine that is proprietary')
    .option('--from <folder>', 'take its archives from this folder and ask no network')
    .option('--json', 'print JSON and nothing else')
    .action(async (name: string, flags: InstallFlags) => {
      const args = ['engine', 'install', name];
      if (flags.from !== undefined) args.push('--from', flags.from);
      if (flags.acceptLicence === true) args.push('--accept-licence');
      if (flags.json === true) args.push('--json');
      context.finish(await passToRunner(args));
    });
  engine
    .command('download <name> <folder>')
    .description(
      'put its archives into a folder, for install --from on a machine without a network',
    )
    .option('--platform <name>', 'of that machine, for example linux-arm64 (default: of this one)')
    .action(async (name: string, folder: string, { platform }: { platform?: string }) => {
      const args = ['engine', 'download', name, folder];
      if (platform !== undefined) args.push('--platform', platform);
      context.finish(await passToRunner(args));
    });
  engine
    .command('check <name>')
    .description(
      'hold an agent engine against its contract, with a scripted model: no account, no key',
    )
    .option('--agents <file>', 'agents of your own that speak the Agent Client Protocol, as TOML')
    .option(
      '--wire-api <format>',
      'ask the provider in this format: responses, chat, messages, gemini',
    )
    .option('--sandbox <kind>', 'auto, docker or process (default: auto)')
    .option('--image <tag>', 'sandbox image, when not the one that build-image makes')
    .option('--json', 'print JSON and nothing else')
    .action(async (name: string, flags: CheckFlags) => {
      context.finish(await check(name, flags, context));
    });
};

async function check(name: string, flags: CheckFlags, context: CommandContext): Promise<number> {
  const provider = await startScriptedProvider({ script: checkScript });
  try {
    const args = ['check-engine', name, '--provider', provider.url];
    for (const flag of ['agents', 'sandbox', 'image'] as const) {
      if (flags[flag] !== undefined) args.push(`--${flag}`, flags[flag]);
    }
    if (flags.wireApi !== undefined) args.push('--wire-api', flags.wireApi);
    return await run(args, flags, context);
  } finally {
    await provider.close();
  }
}

/**
 * Runs the runner's command and returns its exit code; the results are printed at the end as a
 * table, with --json as JSON.
 */
async function run(
  args: string[],
  { json: asJson = false }: CheckFlags,
  context: CommandContext,
): Promise<number> {
  const { command, args: all } = runnerCommand(args);
  const child = spawn(command, all, { stdio: ['ignore', 'pipe', 'pipe'], env: context.env });
  if (!asJson) child.stderr.pipe(process.stderr);
  const problems = asJson ? text(child.stderr) : '';
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  const results: Result[] = [];
  let about: Record<string, unknown> = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const outcome = JSON.parse(line) as Record<string, unknown>;
    if (typeof outcome['status'] !== 'string') about = outcome;
    else {
      const result = outcome as Result;
      results.push(result);
      if (!asJson) context.err(`${result.status.padEnd(11)} ${result.what}\n`);
    }
  }
  const code = await ended;
  if (asJson && code !== 0 && results.length === 0) {
    throw new CommandError(textTail((await problems).trim(), MAX_PROBLEM_CHARS), code);
  }
  if (asJson) context.out(`${toJson({ ...about, results })}\n`);
  else if (results.length > 0) {
    const rows = results.map(({ what, status, durationMs, detail }) => {
      return [what, status, durationText(durationMs), detail];
    });
    context.out(
      tableText([`${String(about['engine'])} (${String(about['isolation'])})`, '', '', ''], rows),
    );
  }
  return code;
}
