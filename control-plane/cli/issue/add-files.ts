import { resolve } from 'node:path';
import { MAX_ARTIFACT_BYTES } from '@switchyard/shared/evidence/artifact';
import type { AttemptEvidence, EvidenceFile } from '@switchyard/shared/evidence/attempt-evidence';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { messageOf } from '@switchyard/shared/message-of';
import { plainLine } from '@switchyard/shared/text/plain-text';
import { formatBytes } from '@switchyard/shared/text/units/format-bytes';
import type { Command } from 'commander';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';
import { ServiceClient, type ServiceFlags } from '../client/service-client.ts';
import type { CommandContext } from '../options/command-context.ts';
import { withServiceOptions } from '../options/service-options.ts';
import { printAnswer } from '../output/print-answer.ts';
import { tableText } from '../output/table-text.ts';
import { writeBelow } from './write-below.ts';

type FilesFlags = ServiceFlags & { attempt?: string; out?: string; force?: boolean };
/** What became of a file that was to be downloaded: one of the two is null. */
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
    .option('--attempt <id>', 'another attempt than the newest')
    .action(async (identifier: string, flags: FilesFlags) => {
      const client = new ServiceClient(flags, context.env);
      const { attemptId, files, filesLeftOut } = await askFor(client, identifier, flags.attempt);
      const folder = flags.out === undefined ? null : resolve(context.workingFolder, flags.out);
      if (folder === null) {
        printAnswer(context, flags, { attemptId, files, filesLeftOut }, () =>
          files.length === 0
            ? 'no files left for review\n'
            : tableText(
                ['FILE', 'SIZE', 'ADDRESS'],
                files.map(({ path, bytes, url }) => [
                  plainLine(path),
                  formatBytes(bytes),
                  `${client.url}${url}`,
                ]),
              ),
        );
        return;
      }
      const outcomes: Outcome[] = [];
      for (const file of files)
        outcomes.push(await download(client, file, { folder, force: flags.force === true }));
      printAnswer(context, flags, { attemptId, files: outcomes, filesLeftOut }, () =>
        files.length === 0 ? 'no files left for review\n' : outcomes.map(outcomeLine).join(''),
      );
      if (outcomes.some(({ problem }) => problem !== null)) context.finish(EXIT.failed);
    });
}

async function askFor(
  client: ServiceClient,
  identifier: string,
  attempt: string | undefined,
): Promise<AttemptEvidence> {
  const path = `/${encodeURIComponent(identifier)}`;
  const attemptId =
    attempt ?? (await client.ask<IssueDetail>('GET', path)).attempts[0]?.attemptId ?? null;
  if (attemptId === null) throw new CommandError(`${identifier} has no attempt yet`, EXIT.failed);
  return client.ask<AttemptEvidence>('GET', `/attempts/${encodeURIComponent(attemptId)}/evidence`);
}

async function download(
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

function outcomeLine({ path, bytes, written, problem }: Outcome): string {
  return written === null
    ? `not written: ${plainLine(path)}: ${plainLine(problem ?? '')}\n`
    : `${plainLine(written)} (${formatBytes(bytes)})\n`;
}
