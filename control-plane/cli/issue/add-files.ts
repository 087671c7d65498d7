import { resolve } from 'node:path';
import { MAX_ARTIFACT_BYTES } from '@switchyard/shared/evidence/artifact';
import type { AttemptEvidence, EvidenceFile } from '@switchyard/shared/api/attempt-evidence';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { messageOf } from '@switchyard/shared/message-of';
import { plainLine } from '@switchyard/shared/text/plain-text';
import type { Command } from 'commander';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';
import { ServiceClient, type ServiceFlags } from '../client/service-client.ts';
import type { CommandContext } from '../options/command-context.ts';
import { withServiceOptions } from '../options/service-options.ts';
import { fileLines } from '../output/evidence-text.ts';
import { printAnswer } from '../output/print-answer.ts';
import { writeBelow } from './write-below.ts';

type FilesFlags = ServiceFlags & { attempt?: string; out?: string; force?: boolean };
/** Result of a file's download: either `written` or the error is null. */
type Outcome = EvidenceFile & { written: string | null; problem: string | null };

/** `switchyard issue files`: the files that an agent left for review, listed or downloaded. */
export function addFiles(issue: Command, context: CommandContext): void {
  withServiceOptions(
    issue
      .command('files')
      .description('files that the agent left for review; --out downloads them'),
  )
    .argument('<issue>', 'identifier, for example SY-1')
    .option('--out <folder>', 'downloads them into this folder')
    .option('--force', 'replaces files that are there already')
    .option('--attempt <attempt>', 'number or id of another attempt than the newest')
    .action(async (identifier: string, flags: FilesFlags) => {
      const client = new ServiceClient(flags, context.env);
      const evidence = await askFor(client, identifier, flags.attempt);
      if (flags.out === undefined) list(evidence, { client, flags, context });
      else await download(evidence, { client, flags, context }, flags.out);
    });
}

type Given = { client: ServiceClient; flags: FilesFlags; context: CommandContext };

function list(evidence: AttemptEvidence, { client, flags, context }: Given): void {
  const { attemptId, files, filesLeftOut } = evidence;
  printAnswer(context, flags, { attemptId, files, filesLeftOut }, () => {
    const lines = files.flatMap((file) => fileLines(file, client.url));
    return [...lines, ...restLines(evidence)].map((line) => `${line}\n`).join('');
  });
}

async function download(
  evidence: AttemptEvidence,
  { client, flags, context }: Given,
  out: string,
): Promise<void> {
  const { attemptId, files, filesLeftOut } = evidence;
  const into = { folder: resolve(context.workingFolder, out), force: flags.force === true };
  const outcomes: Outcome[] = [];
  for (const file of files) outcomes.push(await save(client, file, into));
  const failed = outcomes.filter(({ problem }) => problem !== null);
  printAnswer(context, flags, { attemptId, files: outcomes, filesLeftOut }, () => {
    for (const { path, problem } of failed)
      context.err(`not written: ${plainLine(path)}: ${plainLine(problem ?? '')}\n`);
    const lines = outcomes.flatMap(({ written }) => (written === null ? [] : [plainLine(written)]));
    return [...lines, ...restLines(evidence)].map((line) => `${line}\n`).join('');
  });
  if (failed.length > 0) context.finish(EXIT.failed);
}

/** A line about files that were not stored, or that there are none. */
function restLines({ files, filesLeftOut }: AttemptEvidence): string[] {
  if (filesLeftOut > 0) return [`${filesLeftOut} more not kept: too many, or too large`];
  return files.length === 0 ? ['no files left for review'] : [];
}

async function askFor(
  client: ServiceClient,
  identifier: string,
  attempt: string | undefined,
): Promise<AttemptEvidence> {
  const { attempts } = await client.ask<IssueDetail>('GET', `/${encodeURIComponent(identifier)}`);
  const isMeant = (one: IssueDetail['attempts'][number]): boolean =>
    attempt === undefined || one.attemptId === attempt || String(one.number) === attempt;
  const found = attempts.find(isMeant);
  if (found === undefined) {
    const which = attempt === undefined ? 'attempt yet' : `attempt ${attempt}`;
    throw new CommandError(`${identifier} has no ${which}`, EXIT.failed);
  }
  const { attemptId } = found;
  return client.ask<AttemptEvidence>('GET', `/attempts/${encodeURIComponent(attemptId)}/evidence`);
}

async function save(
  client: ServiceClient,
  file: EvidenceFile,
  { folder, force }: { folder: string; force: boolean },
): Promise<Outcome> {
  try {
    const bytes = await client.bytes(file.url, MAX_ARTIFACT_BYTES);
    const written = await writeBelow(folder, { path: file.path, bytes, force });
    return { ...file, written, problem: null };
  } catch (error) {
    return { ...file, written: null, problem: messageOf(error) };
  }
}
