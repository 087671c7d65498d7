import { toJson } from '@switchyard/shared/text/well-formed-json';
import { messageOf } from '@switchyard/shared/message-of';
import { resolve } from 'node:path';
import { checkCallers } from '../doctor/check-callers.ts';
import { checkDataFolder } from '../doctor/check-data-folder.ts';
import { checkMachine } from '../doctor/check-machine.ts';
import { checkService } from '../doctor/check-service.ts';
import { checkSetup } from '../doctor/check-setup.ts';
import { type Finding, good } from '../doctor/finding.ts';
import { listListeners } from '../doctor/list-listeners.ts';
import { findBaseFile } from '../../src/platform/node/find-base-file.ts';
import { defaultDataDir } from '../serve-flags.ts';
import type { CommandContext, RegisterCommand } from '../options/command-context.ts';
import { EXIT } from '../client/exit.ts';
import { ServiceClient, type ServiceFlags } from '../client/service-client.ts';
import { withServiceOptions } from '../options/service-options.ts';
import { validateConfig } from './validate-config.ts';

type DoctorFlags = ServiceFlags & { fix?: boolean };

/**
 * `switchyard doctor`: finds problems of the installation and their fixes; `--fix` applies the
 * fixes that need no person.
 */
export const registerDoctor: RegisterCommand = (program, context) => {
  withServiceOptions(
    program.command('doctor').description('what is wrong with this installation, and what to do'),
  )
    .option('--fix', 'mend what can be mended')
    .action(async (flags: DoctorFlags) => {
      const found = await inspect(flags, context);
      const mended = flags.fix === true ? await mend(found, context) : false;
      const findings = mended ? await inspect(flags, context) : found;
      print(findings, flags, context);
      const failed = findings.some(({ status }) => status === 'fail');
      context.finish(failed ? EXIT.failed : EXIT.done);
    });
};

type Part = [name: string, check: () => Promise<Finding[]> | Finding[]];

async function inspect(flags: DoctorFlags, context: CommandContext): Promise<Finding[]> {
  const dataDir = resolve(flags.dataDir ?? defaultDataDir(context.env));
  const client = new ServiceClient(flags, context.env);
  const parts: Part[] = [
    ['this machine', () => checkMachine(dataDir)],
    ['data folder', () => checkDataFolder(dataDir)],
    ['configuration', () => checkConfig(context)],
    ['service', () => checkService(client, flags)],
    // A service of another data folder is reported as running, without its details.
    ...(client.isOf === 'nobody' ? [] : partsOf(client, context)),
  ];
  const findings = await Promise.all(
    parts.map(async ([name, check]) => {
      try {
        return await check();
      } catch (error) {
        const detail = messageOf(error);
        return [{ name, status: 'fail' as const, detail, fix: null, mend: null }];
      }
    }),
  );
  return findings.flat();
}

function partsOf(client: ServiceClient, { env }: CommandContext): Part[] {
  const publicOrigin = env['SERVICE_PUBLIC_ORIGIN'];
  return [
    ['setup', () => checkSetup(client)],
    ['callers', () => checkCallers(client, { publicOrigin, listeners: listListeners })],
  ];
}

function checkConfig(context: CommandContext): Finding[] {
  const file = findBaseFile(context.workingFolder);
  const problems = validateConfig(file, context.env);
  if (problems.length === 0) return [good('configuration', file?.name ?? 'no base file')];
  return problems.map(({ severity, message }) => ({
    name: 'configuration',
    status: severity === 'error' ? 'fail' : 'warn',
    detail: message,
    fix: 'see docs/configuration.md',
    mend: null,
  }));
}

/** Whether anything was fixed; a failed fix is reported and stays among the findings. */
async function mend(findings: readonly Finding[], context: CommandContext): Promise<boolean> {
  let mended = false;
  for (const finding of findings) {
    if (finding.status === 'ok' || finding.mend === null) continue;
    try {
      context.err(`${finding.name}: ${await finding.mend()}\n`);
      mended = true;
    } catch (error) {
      const why = messageOf(error);
      context.err(`${finding.name}: not mended: ${why}\n`);
    }
  }
  return mended;
}

function print(findings: readonly Finding[], flags: DoctorFlags, context: CommandContext): void {
  if (flags.json === true) {
    const shown = findings.map(({ mend: mendable, ...rest }) => ({
      ...rest,
      mendable: mendable !== null,
    }));
    context.out(`${toJson({ findings: shown })}\n`);
    return;
  }
  for (const { name, status, detail, fix, mend: mendable } of findings) {
    context.out(`${status.padEnd(4)}  ${name}: ${detail}\n`);
    if (fix !== null) context.out(`      ${fix}${mendable === null ? '' : ' (--fix does it)'}\n`);
  }
}
