import type { AttemptDetail, StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { toJson } from '@switchyard/shared/text/well-formed-json';
import { firstStopSignal } from '../first-stop-signal.ts';
import type { CommandContext, RegisterCommand } from '../options/command-context.ts';
import { EXIT } from '../client/exit.ts';
import { followEvents } from '../client/follow-events.ts';
import { readerOf } from '../client/reader-of.ts';
import { logLines } from '../output/log-lines.ts';
import { ServiceClient, type ServiceFlags } from '../client/service-client.ts';
import { withServiceOptions } from '../options/service-options.ts';

const PAGE = 500;
/** Statuses, and the events that announce them, after which an issue's agent is done. */
const RESTING = new Set(['blocked', 'completed', 'failed', 'cancelled']);
/**
 * Pages of a log that are read, from its beginning; with -f the event stream continues from there.
 */
const MAX_PAGES = 400;

type LogFlags = ServiceFlags & { follow?: boolean; attempt?: string };

/**
 * `switchyard logs -f ISSUE`: prints the messages and actions of an issue's agent and follows new
 * ones.
 */
export const registerLogs: RegisterCommand = (program, context) => {
  withServiceOptions(program.command('logs').description("what an issue's agent says and does"))
    .argument('<issue>', 'identifier, for example SY-1')
    .option('-f, --follow', 'go on until the issue comes to rest or Ctrl-C')
    .option('--attempt <id>', 'another attempt than the newest')
    .action(async (identifier: string, flags: LogFlags) => {
      context.finish(await logs(identifier, flags, context));
    });
};

async function logs(identifier: string, flags: LogFlags, context: CommandContext): Promise<number> {
  const client = new ServiceClient(flags, context.env);
  const issue = await client.ask<IssueDetail>('GET', `/${encodeURIComponent(identifier)}`);
  const reader = flags.json === true ? null : await readerOf(client);
  const print = (event: StreamEvent) => {
    const lines = flags.json === true ? [toJson(event)] : logLines(event, reader);
    for (const line of lines) context.out(`${line}\n`);
  };
  const attemptId = flags.attempt ?? issue.currentAttemptId ?? issue.attempts[0]?.attemptId ?? null;
  let lastSeq = issue.recentEvents.at(-1)?.seq ?? 0;
  if (attemptId !== null) lastSeq = (await printAttempt(client, attemptId, print)) ?? lastSeq;
  else if (flags.follow !== true) context.err(`${identifier} has no attempt yet\n`);
  if (flags.follow !== true || RESTING.has(issue.status)) return EXIT.done;
  const stop = new AbortController();
  void firstStopSignal().then(() => stop.abort());
  const ended = await followEvents(client, {
    issue: identifier,
    afterSeq: lastSeq,
    signal: stop.signal,
    onEvent: print,
    onTrouble: (message) => context.err(`${message}\n`),
    isLast: ({ type }) => type.startsWith('issue.') && RESTING.has(type.slice('issue.'.length)),
  });
  return ended === 'stopped' ? EXIT.interrupted : EXIT.done;
}

/**
 * Prints the events of an attempt, at most `MAX_PAGES` pages; returns the last `seq`, null when
 * there is none.
 */
async function printAttempt(
  client: ServiceClient,
  attemptId: string,
  print: (event: StreamEvent) => void,
): Promise<number | null> {
  let after: number | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query: string = `limit=${PAGE}${after === null ? '' : `&after=${after}`}`;
    const path = `/attempts/${encodeURIComponent(attemptId)}?${query}`;
    const { events }: AttemptDetail = await client.ask<AttemptDetail>('GET', path);
    for (const event of events) print(event);
    after = events.at(-1)?.seq ?? after;
    if (events.length < PAGE) break;
  }
  return after;
}
