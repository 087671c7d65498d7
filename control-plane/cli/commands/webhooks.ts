import type {
  DeadLetter,
  DeadLetterDetail,
  DeadLetterPage,
} from '@switchyard/shared/api/admin/webhook';
import type { Command } from 'commander';
import type { z } from 'zod';
import {
  type CommandContext,
  type RegisterCommand,
  terminalText,
} from '../options/command-context.ts';
import { printAnswer } from '../output/print-answer.ts';
import { tableText } from '../output/table-text.ts';
import { ServiceClient, type ServiceFlags } from '../client/service-client.ts';
import { withServiceOptions } from '../options/service-options.ts';

/** `switchyard webhooks dead|show|replay`: handles deliveries that could not be processed. */
export const registerWebhooks: RegisterCommand = (program, context) => {
  const webhooks = program
    .command('webhooks')
    .description('deliveries from tracker and code host that could not be processed');
  addDead(webhooks, context);
  addShow(webhooks, context);
  addReplay(webhooks, context);
};

function addDead(webhooks: Command, context: CommandContext): void {
  withServiceOptions(webhooks.command('dead').description('list them, newest first'))
    .option('--cursor <cursor>', 'continue a longer list')
    .action(async (flags: ServiceFlags & { cursor?: string }) => {
      const cursor =
        flags.cursor === undefined ? '' : `?cursor=${encodeURIComponent(flags.cursor)}`;
      const client = new ServiceClient(flags, context.env);
      const page = await client.ask<z.infer<typeof DeadLetterPage>>(
        'GET',
        `/webhooks/dead${cursor}`,
      );
      printAnswer(context, flags, page, () => describePage(page));
    });
}

function describePage({ deliveries, total, nextCursor }: z.infer<typeof DeadLetterPage>): string {
  if (deliveries.length === 0) return 'no dead deliveries\n';
  const rows = deliveries.map((one) => [
    one.id,
    one.provider,
    one.event,
    one.receivedAt,
    one.error,
  ]);
  const table = tableText(['NUMBER', 'FROM', 'EVENT', 'RECEIVED', 'WHY'], rows);
  return nextCursor === null ? table : `${table}${total} in all; more: --cursor ${nextCursor}\n`;
}

function addShow(webhooks: Command, context: CommandContext): void {
  withServiceOptions(webhooks.command('show').description('one of them with its body'))
    .argument('<number>', 'as the list shows it')
    .action(async (number: string, flags: ServiceFlags) => {
      const client = new ServiceClient(flags, context.env);
      const path = `/webhooks/dead/${encodeURIComponent(number)}`;
      const found = await client.ask<z.infer<typeof DeadLetterDetail>>('GET', path);
      printAnswer(context, flags, found, () => terminalText(`${JSON.stringify(found, null, 2)}\n`));
    });
}

function addReplay(webhooks: Command, context: CommandContext): void {
  withServiceOptions(webhooks.command('replay').description('process one of them once more'))
    .argument('<number>', 'as the list shows it')
    .action(async (number: string, flags: ServiceFlags) => {
      const client = new ServiceClient(flags, context.env);
      const path = `/webhooks/dead/${encodeURIComponent(number)}/replay`;
      const queued = await client.ask<z.infer<typeof DeadLetter>>('POST', path);
      printAnswer(context, flags, queued, () => `delivery ${number} waits to be processed\n`);
    });
}
