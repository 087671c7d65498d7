import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { parseJson } from '@switchyard/shared/text/parse-json';
import * as z from 'zod';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';
import { runnerCommand } from '../local-runner.ts';
import type { ServeFlags } from '../serve-flags.ts';

const ASK_TIMEOUT_MS = 60_000;
const INSTALL_TIMEOUT_MS = 20 * 60_000;

const Listed = z.object({
  engines: z.array(
    z.object({
      name: z.string(),
      version: z.string().nullable(),
      problem: z.string().nullable(),
      wireApis: z.array(z.string()).min(1),
    }),
  ),
});
const Failed = z.object({ error: z.string() });
const Checked = z.object({ checks: z.array(z.object({ name: z.string(), status: z.string() })) });

type Choice = { settings: Record<string, string> } | { exitCode: number };

/**
 * Ensures that the engine of `--engine`, or the default one, works on this machine: in a container
 * whose image has it, or installed as a plain process. Returns the settings that select it, or the
 * exit code of a failed installation.
 */
export async function chooseEngine(
  flags: Pick<ServeFlags, 'engine' | 'acceptLicence' | 'sandbox' | 'image'>,
  { say, isJson }: { say(text: string): void; isJson: boolean },
): Promise<Choice> {
  const engines = await listed();
  const { engine: name = engines[0]?.name } = flags;
  const engine = engines.find((one) => one.name === name);
  if (name === undefined || engine === undefined) {
    const names = engines.map((one) => one.name).join(', ');
    throw new CommandError(`no agent engine is called "${name}": take one of ${names}`, EXIT.usage);
  }
  const isMissing = engine.version === null && flags.sandbox !== 'docker';
  if (isMissing && !(await imageHas(name, flags))) {
    say(`installing the agent engine ${name} for this user …`);
    const licence = flags.acceptLicence === true ? ['--accept-licence'] : [];
    const args = ['engine', 'install', name, ...licence];
    const exitCode = isJson ? await installQuietly(name, args) : await install(args);
    if (exitCode !== EXIT.done) return { exitCode };
    const problem = (await listed()).find((one) => one.name === name)?.problem ?? null;
    if (problem !== null) throw new CommandError(problem, EXIT.notConfigured);
  }
  if (flags.engine === undefined) return { settings: {} };
  return {
    settings: {
      SERVICE_CONFIG__engine__name: name,
      SERVICE_CONFIG__engine__provider__wireApi: engine.wireApis[0] ?? '',
    },
  };
}

async function listed() {
  return Listed.parse(await askRunner(['engine', 'list', '--json'])).engines;
}

async function imageHas(
  name: string,
  { sandbox, image }: Pick<ServeFlags, 'sandbox' | 'image'>,
): Promise<boolean> {
  if (sandbox === 'process') return false;
  const named = image === undefined ? [] : ['--image', image];
  const args = ['check', '--json', '--sandbox', 'docker', '--engine', name, ...named];
  const { checks } = Checked.parse(await askRunner(args));
  return checks.some((check) => check.name === 'sandbox' && check.status !== 'fail');
}

async function askRunner(commandArgs: string[]): Promise<unknown> {
  const { command, args } = runnerCommand(commandArgs);
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: ASK_TIMEOUT_MS,
  });
  const answer = await text(child.stdout);
  try {
    return JSON.parse(answer);
  } catch (error) {
    const asked = `runner ${commandArgs.join(' ')}`;
    throw new CommandError(`"${asked}" gave no answer within a minute`, EXIT.failed, {
      cause: error,
    });
  }
}

/**
 * Installs an engine without output to the terminal; a failure throws the runner's error message.
 */
async function installQuietly(name: string, commandArgs: string[]): Promise<number> {
  const { command, args } = runnerCommand([...commandArgs, '--json']);
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: INSTALL_TIMEOUT_MS,
  });
  const ended = once(child, 'close');
  const failure = Failed.safeParse(parseJson(await text(child.stdout)));
  const [code] = await ended;
  if (code === EXIT.done) return EXIT.done;
  const why = failure.data?.error ?? `installing the agent engine ${name} failed`;
  throw new CommandError(why, typeof code === 'number' ? code : EXIT.interrupted);
}

/** Installs an engine with output for people; a person at the terminal may accept its licence. */
async function install(commandArgs: string[]): Promise<number> {
  const { command, args } = runnerCommand(commandArgs);
  const child = spawn(command, args, {
    stdio: ['inherit', process.stderr, 'inherit'],
    timeout: INSTALL_TIMEOUT_MS,
  });
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : EXIT.interrupted;
}
